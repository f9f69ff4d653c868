/// What a run showed.
package struct Verdict: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// The process ended.
        case crash
        /// Work was left that nobody got on with.
        case liveness
        /// Something happened that must not.
        case correctness
    }

    package var kind: Kind
    /// The checker that saw it.
    package var checker: String
    /// What it saw, in words.
    package var what: String

    package init(kind: Kind, checker: String, what: String) {
        self.kind = kind
        self.checker = checker
        self.what = what
    }
}
