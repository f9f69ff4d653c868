import RecordModel
import SyncCore
import TestSupport
import Testing

/// Whatever happens in whatever order, nothing is lost, and nothing happens out of turn.
@Suite struct RandomRunTests {
    @Test(
        .holds("P1", "P2", "P3", "P4", "P5", "P6", "P7", "P9", "J9", "H14"),
        arguments: Array(UInt64(0)..<60)
    )
    func appAndServerAgreeInTheEnd(seed: UInt64) {
        var run = RandomRun(seed: seed, isAutomatic: seed % 3 == 0)
        for _ in 0..<500 { run.step() }
        #expect(run.finish() == [])
    }

    @Test(.holds("P1"))
    func theSameSeedGivesTheSameTranscript() {
        let transcripts = (0..<2).map { _ in
            var run = RandomRun(seed: 7, isAutomatic: true)
            for _ in 0..<500 { run.step() }
            _ = run.finish()
            return run.device.transcript
        }
        #expect(transcripts[0] == transcripts[1])
        #expect(transcripts[0].count > 200)
    }
}
