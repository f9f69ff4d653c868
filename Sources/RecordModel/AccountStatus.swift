/// What the server says of the account behind a database connection.
public enum AccountStatus: Hashable, Sendable {
    /// Signed in; the user record's name identifies the account.
    case available(userRecordName: String)
    /// Nobody is signed in.
    case noAccount
    /// Somebody is signed in who may not use the service.
    case restricted
    /// Signed in, but not usable now: keep all data and wait.
    case temporarilyUnavailable
    /// It could not be found out.
    case couldNotDetermine
}
