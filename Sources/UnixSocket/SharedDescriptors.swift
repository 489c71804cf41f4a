/// Descriptors with several holders, such as a queued message or a cached copy of a photo. The last
/// holder closes them.
package final class SharedDescriptors: Sendable {
  /// The descriptors, which a send borrows.
  package let contents: OwnedDescriptors

  package init(_ contents: consuming OwnedDescriptors) { self.contents = contents }

  package init(_ descriptor: consuming FileDescriptor) { contents = OwnedDescriptors(descriptor) }
}
