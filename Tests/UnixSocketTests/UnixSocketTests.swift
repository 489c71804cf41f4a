import Testing

/// Serialized, because several tests count this process's descriptors or check that a number is
/// free.
@Suite(.serialized) enum UnixSocketTests {}
