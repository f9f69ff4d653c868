/// One of several simulated devices.
public struct SimulatedDevice: Sendable {
    /// Counts the devices, from 0.
    public let number: Int
    /// The name that traces and the cloud know it by, from A on.
    public let name: String
    /// The account that is signed in on it.
    public let account: String
    /// The world it lives in; a delegate that waits must wait by its clock.
    public let world: TestWorld

    init(number: Int, account: String, world: TestWorld) {
        self.number = number
        self.account = account
        self.world = world
        let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number % 26)))
        name = number < 26 ? letter : letter + "\(number / 26)"
    }
}

/// What a seed chose for one action.
public struct SimulatedTurn: Sendable {
    /// The device on which it is done.
    public let device: SimulatedDevice
    /// Counts the run's steps: no other action of the run has the same.
    public let step: Int
    /// Drawn from the seed, from 0 up to a million.
    public let number: Int

    /// Chooses one of several.
    public func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number % choices.count] }
}

/// What a device has at the end of a run.
public struct SimulatedContent<Store: Sendable>: Sendable {
    /// The device.
    public let device: SimulatedDevice
    /// Its store.
    public let store: Store
    /// What is compared.
    public let lines: [String]
}

/// What can go wrong with simulated devices.
public enum SimulatedFault: Hashable, Sendable, CaseIterable {
    /// A request never arrives.
    case lostRequest
    /// The server takes a request, and its answer is lost.
    case lostAnswer
    /// A request arrives long after the device gave it up.
    case lateRequest
    /// A request arrives twice.
    case duplicate
    /// For a while a device's requests take seconds.
    case delay
    /// For a while a device is off the network.
    case partition
    /// The server tells a device to wait.
    case throttle
    /// The server is down for a few requests.
    case outage
    /// For a while a device hears nothing of others' changes.
    case silence
    /// The server forgets how far a device had come.
    case expiredTokens
    /// The app dies, before or after it handled an event, and is launched anew.
    case crash
}
