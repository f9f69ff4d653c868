@_exported public import MemoryCloud
