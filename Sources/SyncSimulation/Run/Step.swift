/// One thing that a plan lets happen.
package struct Step: Hashable, Sendable {
    /// Since the step before.
    package var gap: Duration
    package var action: Action
    /// Decides everything about the step that its action leaves open, so that a step stays the same
    /// when others are taken out of the plan.
    package var salt: UInt64

    /// What happens; numbers are those of devices.
    package enum Action: Hashable, Sendable {
        case edit(Int)
        case editMany(Int)
        case editLarge(Int)
        case editUnlisted(Int)
        case delete(Int)
        case takeBack(Int)
        case saveZone(Int)
        case deleteZone(Int)
        case send(Int)
        case fetch(Int)
        case flush(Int)
        case cancel(Int)
        case abandonCall(Int)
        case resume(Int)
        case resetTokens(Int)
        case relaunch(Int)
        case read
        case fault(Fault, Int)
    }
}

extension Step.Action: CustomStringConvertible {
    /// The action in words.
    package var description: String {
        switch self {
        case .edit(let device): "\(name(device)) edits a record"
        case .editMany(let device): "\(name(device)) edits several records at once"
        case .editLarge(let device): "\(name(device)) makes a record larger than the server allows"
        case .editUnlisted(let device): "\(name(device)) edits a record without listing it"
        case .delete(let device): "\(name(device)) deletes a record"
        case .takeBack(let device): "\(name(device)) takes an unsent edit back"
        case .saveZone(let device): "\(name(device)) saves a zone"
        case .deleteZone(let device): "\(name(device)) deletes a zone"
        case .send(let device): "\(name(device)) calls sendChanges"
        case .fetch(let device): "\(name(device)) calls fetchChanges"
        case .flush(let device): "\(name(device)) calls flush"
        case .cancel(let device): "\(name(device)) cancels its operations"
        case .abandonCall(let device): "\(name(device)) no longer waits for its call"
        case .resume(let device): "\(name(device)) resumes parked changes"
        case .resetTokens(let device): "\(name(device)) resets its tokens"
        case .relaunch(let device): "\(name(device)) is killed and started again"
        case .read: "a reader without an engine reads a page"
        case .fault(let fault, let device): "\(fault.name) \(fault.words), at \(name(device))"
        }
    }

    private func name(_ device: Int) -> String { deviceName(device) }
}

/// The name of a device: A, B, C and so on.
package func deviceName(_ number: Int) -> String {
    String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number % 26)))
}
