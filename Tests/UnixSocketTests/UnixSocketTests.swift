import Testing

/// One after another: several tests count this process's descriptors, or look whether a number is free again.
@Suite(.serialized) enum UnixSocketTests {}
