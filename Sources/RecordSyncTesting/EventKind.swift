public import RecordSync

/// What kind an event of an engine is, without its content.
public typealias EventKind = SyncEngine.Event.Kind
