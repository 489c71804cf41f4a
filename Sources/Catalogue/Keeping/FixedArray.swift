/// Immutable values, in memory of their own or in a part of a file's bytes.
///
/// As with unsafe buffers, an index out of bounds is found in debug builds only. Values from a file
/// are checked when they are read.
struct FixedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  let values: UnsafeBufferPointer<Element>
  private let slab: Slab

  private init(_ values: UnsafeBufferPointer<Element>, in slab: Slab) { (self.values, self.slab) = (values, slab) }

  init() { self.init(UnsafeBufferPointer(start: nil, count: 0), in: .empty) }

  init(_ array: [Element]) {
    guard !array.isEmpty else {
      self.init()
      return
    }
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = copy.initialize(from: array)
    self.init(UnsafeBufferPointer(copy), in: Slab(owning: UnsafeRawBufferPointer(copy)) { $0.deallocate() })
  }

  /// A part of a slab; nil if it lies outside, or is not aligned to its elements.
  init?(_ slab: Slab, at offset: Int, count: Int) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    guard offset >= 0, count >= 0, !overflow, offset <= slab.bytes.count, bytes <= slab.bytes.count - offset,
      offset % MemoryLayout<Element>.alignment == 0
    else { return nil }
    guard count > 0, let base = slab.bytes.baseAddress else {
      self.init()
      return
    }
    let start = (base + offset).assumingMemoryBound(to: Element.self)
    self.init(UnsafeBufferPointer(start: start, count: count), in: slab)
  }

  @inline(__always) subscript(index: Int) -> Element { values[index] }
  @inline(__always) var count: Int { values.count }
  @inline(__always) var isEmpty: Bool { values.isEmpty }
}
