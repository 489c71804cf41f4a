/// One whole message, without its final NUL, and the descriptors that came with it.
package struct Frame: ~Copyable, Sendable {
  package let bytes: [UInt8]
  /// The received descriptors, in order.
  package var descriptors: OwnedDescriptors
}
