import Delivery
import Foundation
import Synchronization
import Testing

struct SealedCopyCacheTests {
  private func copy(_ count: Int) throws(DeliveryError) -> SealedCopy {
    let bytes = [UInt8](repeating: 1, count: count)
    var result: Result<SealedCopy, DeliveryError>?
    bytes.withUnsafeBytes { raw in result = Result { () throws(DeliveryError) in try SealedCopy.of(raw) } }
    return try result!.get()
  }

  @Test func `the least recently used is evicted first, by bytes and by number`() throws {
    let cache = SealedCopyCache<String>(byteLimit: 1000, entryLimit: 3)
    for key in ["a", "b", "c"] { _ = try cache.copy(for: key) { () throws(DeliveryError) in try copy(100) } }
    #expect(cache.kept("a") != nil)
    _ = try cache.copy(for: "d") { () throws(DeliveryError) in try copy(100) }
    #expect(cache.kept("b") == nil)
    #expect(cache.kept("a") != nil && cache.kept("c") != nil && cache.kept("d") != nil)
    #expect(cache.usage == (bytes: 300, entries: 3))
    _ = try cache.copy(for: "e") { () throws(DeliveryError) in try copy(850) }
    #expect(cache.usage == (bytes: 950, entries: 2))
    #expect(cache.kept("d") != nil && cache.kept("e") != nil)
    _ = try cache.copy(for: "f") { () throws(DeliveryError) in try copy(1001) }
    #expect(cache.kept("f") == nil)
    #expect(cache.usage.entries == 2)
  }

  @Test func `R129 all caches together are bounded, and each copy counts`() throws {
    let memory = SharedAllowance(limit: 1_000, limitPerUser: 400)
    let caches = (0..<3).map { user in
      SealedCopyCache<Int>(byteLimit: 1_000, entryLimit: 100, leastCost: 100, memory: memory, user: UInt32(user))
    }
    for key in 0..<10 { _ = try caches[0].copy(for: key) { () throws(DeliveryError) in try copy(1) } }
    #expect(caches[0].usage.entries == 4 && caches[0].kept(9) != nil && caches[0].kept(0) == nil)
    _ = try caches[1].copy(for: 1) { () throws(DeliveryError) in try copy(400) }
    _ = try caches[1].copy(for: 2) { () throws(DeliveryError) in try copy(10) }
    #expect(caches[1].kept(2) != nil && caches[1].kept(1) == nil, "the older one makes room")
    #expect(
      try caches[2].copy(for: 1) { () throws(DeliveryError) in try copy(901) }.byteCount == 901, "made, if not kept")
    caches[0].remove { _ in true }
    _ = try caches[2].copy(for: 2) { () throws(DeliveryError) in try copy(390) }
    #expect(caches[2].kept(2) != nil, "what was let go of is there for others")
  }

  @Test func `several readers of one photo cause one copy`() throws {
    let cache = SealedCopyCache<Int>(byteLimit: 1000, entryLimit: 3)
    let made = Atomic(0)
    let got = Mutex<Set<ObjectIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let result = try? cache.copy(for: 1) { () throws(DeliveryError) in
        made.add(1, ordering: .relaxed)
        usleep(50_000)
        return try copy(10)
      }
      if let result { got.withLock { _ = $0.insert(ObjectIdentifier(result)) } }
    }
    #expect(made.load(ordering: .relaxed) == 1)
    #expect(got.withLock { $0.count } == 1)
  }

  @Test func `a failure is reported and not kept`() throws {
    let cache = SealedCopyCache<Int>(byteLimit: 1000, entryLimit: 3)
    let folder = try Folder()
    let root = try folder.root()
    #expect(
      code {
        _ = try cache.copy(for: 1) { () throws(DeliveryError) in
          try SealedCopy.copying(root.open("missing"), limitBytes: 1)
        }
      } == .notFound)
    #expect(code { _ = try cache.copy(for: 1) { () throws(DeliveryError) in try copy(1) } } == nil)
    withExtendedLifetime(folder) {}
  }

  @Test func `R18 a copy revoked while it is made is neither delivered nor kept`() throws {
    let cache = SealedCopyCache<Int>(byteLimit: 1000, entryLimit: 3)
    var isWanted = true
    let refused = code {
      _ = try cache.copy(for: 1, isWanted: { isWanted }) { () throws(DeliveryError) in
        isWanted = false
        return try copy(10)
      }
    }
    #expect(refused == .readerGone && cache.kept(1) == nil && cache.usage.entries == 0)
  }

  @Test func `R18 an unwanted copy is cancelled`() throws {
    let folder = try Folder()
    try folder.write(pattern(3 << 20), to: "a")
    let root = try folder.root()
    var asked = 0
    let given = code {
      _ = try SealedCopy.copying(
        root.open("a"), limitBytes: 8 << 20,
        isWanted: {
          asked += 1
          return asked < 2
        })
    }
    #expect(given == .readerGone && asked == 2, "of three pieces one was copied")
  }

  @Test func `a reader of another's copy waits only while somebody wants it`() throws {
    let cache = SealedCopyCache<Int>(byteLimit: 1000, entryLimit: 3)
    let isMaking = DispatchSemaphore(value: 0)
    let maker = DispatchSemaphore(value: 0)
    let isMade = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      _ = try? cache.copy(for: 1) { () throws(DeliveryError) in
        isMaking.signal()
        maker.wait()
        return try copy(10)
      }
      isMade.signal()
    }
    isMaking.wait()
    var asked = 0
    let isWanted = {
      asked += 1
      return asked < 3
    }
    #expect(
      code { _ = try cache.copy(for: 1, isWanted: isWanted) { () throws(DeliveryError) in try copy(1) } } == .readerGone
    )
    #expect(cache.kept(1) == nil)
    maker.signal()
    isMade.wait()
    #expect(cache.kept(1)?.byteCount == 10, "who still wants it gets it")
  }

  @Test func `a removal also reaches an unfinished copy`() throws {
    let cache = SealedCopyCache<Int>(byteLimit: 1000, entryLimit: 3)
    _ = try cache.copy(for: 2) { () throws(DeliveryError) in try copy(5) }
    _ = try cache.copy(for: 1) { () throws(DeliveryError) in
      cache.remove { $0 == 1 }
      return try copy(10)
    }
    #expect(cache.kept(1) == nil)
    #expect(cache.kept(2) != nil)
    cache.remove { _ in true }
    #expect(cache.usage == (bytes: 0, entries: 0))
  }
}
