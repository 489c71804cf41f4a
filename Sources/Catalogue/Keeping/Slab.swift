/// A stretch of memory that parts of a catalogue lie in, given back with the last of them.
package final class Slab: @unchecked Sendable {
  package let bytes: UnsafeRawBufferPointer
  private let release: @Sendable (UnsafeRawBufferPointer) -> Void

  /// Takes over memory that nothing writes to any longer, aligned to 8 bytes.
  package init(owning bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
    self.bytes = bytes
    self.release = release
  }

  deinit { release(bytes) }

  static let empty = Slab(owning: UnsafeRawBufferPointer(start: nil, count: 0)) { _ in }
}
