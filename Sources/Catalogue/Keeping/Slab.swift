/// Memory that holds parts of a catalogue, freed with the last of them.
package final class Slab: @unchecked Sendable {
  package let bytes: UnsafeRawBufferPointer
  private let release: @Sendable (UnsafeRawBufferPointer) -> Void

  /// Takes ownership of memory that is aligned to 8 bytes and not written any more.
  package init(owning bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
    self.bytes = bytes
    self.release = release
  }

  deinit { release(bytes) }

  static let empty = Slab(owning: UnsafeRawBufferPointer(start: nil, count: 0)) { _ in }
}
