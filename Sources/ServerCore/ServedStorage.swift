package import RecordModel

/// What a server over a network needs of a storage besides.
package protocol ServedStorage: ServerStorage {
    /// From now on the commits of requests wait for `flush`.
    mutating func beginGrouping() throws(StorageError)
    /// Makes everything committed since the last flush last; undoes it if that fails.
    mutating func flush() throws(StorageError)
    /// A number that changes whenever another process wrote to the storage.
    func foreignChangeNumber() throws(StorageError) -> Int64

    func credential(withHash hash: [UInt8]) throws(StorageError) -> StoredCredential?
    /// Keeps a credential in the place of the one that its device had.
    mutating func put(_ credential: StoredCredential) throws(StorageError)
    /// Forgets the credential of a device, and says whether there was one.
    mutating func removeCredential(
        ofDevice deviceID: String,
        account: String
    ) throws(StorageError) -> Bool
    /// The credentials of an account, by device.
    func credentials(of account: String) throws(StorageError) -> [StoredCredential]
}

/// What is kept of a secret that was given to a device: never the secret itself.
package struct StoredCredential: Hashable, Sendable {
    /// The SHA-256 of the secret, which is long and random, so that nothing slower is needed.
    package let hash: [UInt8]
    /// The account it stands for.
    package let account: String
    /// The device it was given to.
    package let deviceID: String
    /// When it was made.
    package let created: Timestamp
    /// When it was last used, to a minute; nil if it never was.
    package var lastUsed: Timestamp?

    package init(
        hash: [UInt8],
        account: String,
        deviceID: String,
        created: Timestamp,
        lastUsed: Timestamp? = nil
    ) {
        self.hash = hash
        self.account = account
        self.deviceID = deviceID
        self.created = created
        self.lastUsed = lastUsed
    }
}
