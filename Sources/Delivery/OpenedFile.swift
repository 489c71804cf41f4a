package import UnixSocket

/// A library's file, open for reading inside the broker only: apps get a ``SealedCopy``.
package struct OpenedFile: ~Copyable, Sendable {
  package let descriptor: FileDescriptor
  /// The facts at the moment of opening.
  package let facts: FileFacts
}
