import RecordSync

/// The jobs that can run now.
struct ReadyJobs {
    private var jobs: [UnownedJob] = []
    /// The jobs before this place have run.
    private var head = 0
    /// Draws the next job; nil to take the one that has waited longest.
    private var generator: SplitMix64?

    init(generator: SplitMix64?) { self.generator = generator }

    mutating func add(_ job: UnownedJob) { jobs.append(job) }

    mutating func take() -> UnownedJob? {
        guard head < jobs.count else {
            jobs.removeAll(keepingCapacity: true)
            head = 0
            return nil
        }
        generator = generator.map { draw(by: $0) }
        defer { head += 1 }
        // Jobs that wake each other would never empty the list.
        if head > 4096, head > jobs.count / 2 {
            jobs.removeFirst(head)
            head = 0
        }
        return jobs[head]
    }

    /// Brings a job drawn at random to the front.
    private mutating func draw(by generator: SplitMix64) -> SplitMix64 {
        var generator = generator
        jobs.swapAt(head, Int.random(in: head..<jobs.count, using: &generator))
        return generator
    }
}
