/// One whole message: its bytes without the ending NUL, and the descriptors that came with them.
package struct Frame: ~Copyable, Sendable {
  /// The text of the message.
  package let bytes: [UInt8]
  /// What the other end sent beside it, in order.
  package var descriptors: OwnedDescriptors

  /// Puts the two together.
  package init(bytes: [UInt8], descriptors: consuming OwnedDescriptors) {
    self.bytes = bytes
    self.descriptors = descriptors
  }
}
