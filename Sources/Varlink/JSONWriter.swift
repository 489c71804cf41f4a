/// Appends JSON text to a buffer that is kept and reused: a connection's output, or a message of its own.
///
/// It owns its memory and grows it by doubling. What it writes is canonical in one sense only: no white space,
/// and nothing escaped that need not be.
public struct JSONWriter: ~Copyable {
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  /// How many bytes are written.
  public private(set) var count = 0
  /// Whether the next key or element needs a comma before it.
  var needsComma = false

  /// An empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 512) {
    self.capacity = max(capacity, 64)
    self.memory = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// A copy of what is written.
  public var bytes: [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Lends what is written, for as long as `body` runs.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Forgets what is written and keeps the memory.
  public mutating func removeAll() {
    count = 0
    needsComma = false
  }

  /// Forgets what was written after the first `length` bytes; does nothing when there are fewer.
  public mutating func truncate(to length: Int) {
    count = min(count, max(length, 0))
    needsComma = false
  }

  /// Forgets the first `length` bytes, which were sent, and moves the rest to the front.
  public mutating func removeFirst(_ length: Int) {
    let sent = min(max(length, 0), count)
    if sent < count { memory.copyMemory(from: memory + sent, byteCount: count - sent) }
    count -= sent
  }

  /// Gives back memory beyond `limitBytes` when nothing is written, so that one large reply is not kept for ever.
  public mutating func shrink(to limitBytes: Int = 1 << 16) {
    guard count == 0, capacity > limitBytes else { return }
    memory.deallocate()
    capacity = max(limitBytes, 64)
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Makes room for `additional` bytes and returns where they go; `advance` then says how many were written.
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

  /// Appends one byte as it is: the NUL that ends a message.
  public mutating func append(byte: UInt8) {
    room(1)[0] = byte
    advance(1)
  }

  /// Appends bytes as they are; they must be JSON text that belongs here, or whole messages.
  public mutating func append(raw text: UnsafeRawBufferPointer) {
    guard let start = text.baseAddress else { return }
    UnsafeMutableRawPointer(room(text.count)).copyMemory(from: start, byteCount: text.count)
    advance(text.count)
  }

  /// Appends text as it is; it must be JSON text that belongs here.
  public mutating func append(raw text: StaticString) {
    append(raw: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
