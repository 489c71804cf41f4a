/// Descriptors with several holders, closed when the last one lets go: a message in a queue, a cached copy of a photo.
package final class SharedDescriptors: Sendable {
  /// The descriptors, to be borrowed by a send.
  package let contents: OwnedDescriptors

  /// Takes them over.
  package init(_ contents: consuming OwnedDescriptors) { self.contents = contents }

  /// Takes one over.
  package init(_ descriptor: consuming FileDescriptor) { contents = OwnedDescriptors(descriptor) }
}
