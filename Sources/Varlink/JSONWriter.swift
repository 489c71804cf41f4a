/// Appends JSON text to a reusable buffer: a connection's output, or a single message.
///
/// It owns its memory and doubles it as needed. It writes no white space, and the fewest escapes.
public struct JSONWriter: ~Copyable {
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  /// The number of written bytes.
  public private(set) var count = 0
  /// Whether the next key or element needs a comma.
  var needsComma = false

  /// An empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 512) {
    self.capacity = max(capacity, 64)
    self.memory = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// A copy of the written bytes.
  public var bytes: [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Lends the written bytes to `body`.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Removes the written bytes and keeps the memory.
  public mutating func removeAll() {
    count = 0
    needsComma = false
  }

  /// Frees memory beyond `limitBytes` if nothing is written, so that one large reply does not stay
  /// in memory.
  public mutating func shrink(to limitBytes: Int = 1 << 16) {
    guard count == 0, capacity > limitBytes else { return }
    memory.deallocate()
    capacity = max(limitBytes, 64)
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Makes room for `additional` bytes and returns their place; call `advance` with the number
  /// written.
  @inline(__always)
  mutating func room(_ additional: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < additional { grow(additional) }
    return (memory + count).assumingMemoryBound(to: UInt8.self)
  }

  @inline(__always)
  mutating func advance(_ written: Int) { count += written }

  @inline(never)
  private mutating func grow(_ additional: Int) {
    let larger = max(capacity * 2, count + additional)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    moved.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    memory = moved
    capacity = larger
  }

  /// Appends one byte verbatim: the NUL that ends a message.
  public mutating func append(byte: UInt8) {
    room(1)[0] = byte
    advance(1)
  }

  /// Appends bytes verbatim, which must be JSON text valid at this place, or whole messages.
  public mutating func append(raw text: UnsafeRawBufferPointer) {
    guard let start = text.baseAddress else { return }
    UnsafeMutableRawPointer(room(text.count)).copyMemory(from: start, byteCount: text.count)
    advance(text.count)
  }

  /// Appends text verbatim, which must be JSON text valid at this place.
  public mutating func append(raw text: StaticString) {
    append(raw: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
