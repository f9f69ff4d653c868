@_exported public import MemoryCloud
@_exported public import RecordSync
