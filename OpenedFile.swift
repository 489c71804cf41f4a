package import UnixSocket

/// A file of a library, open for reading inside the broker. It never leaves: what leaves is a ``SealedCopy`` of it.
package struct OpenedFile: ~Copyable, Sendable {
  package let descriptor: FileDescriptor
  /// The facts at the moment of opening.
  package let facts: FileFacts

  init(descriptor: consuming FileDescriptor, facts: FileFacts) {
    self.descriptor = descriptor
    self.facts = facts
  }
}
