public import Testing

/// Says which numbered rules a test holds: `S39` (a statement of CKSyncEngine's behaviour, see
/// `Docs/Conformance.md`), `P4` (a promise of `Docs/Contract.md`), `H01` (a bug that other engines
/// had, see `Docs/Bugs.md`), `I7` (an invariant).
///
/// `recordsync conformance` reads these from the sources and prints which test holds which rule.
public struct Holds: TestTrait, SuiteTrait {
    /// The numbers of the rules.
    public let rules: [String]
}

extension Trait where Self == Holds {
    /// Says which numbered rules a test holds.
    public static func holds(_ rules: String...) -> Holds { Holds(rules: rules) }
}
