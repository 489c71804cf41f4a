import Cryptography
import Delivery
import Indexer
import Limits
import PhotoModel

/// A look into one far file that reads as few of its bytes as that takes: its beginning and its
/// end, then what the media worker asks for.
struct FarLook {
  /// Files up to this size are read as a whole, in one transfer.
  static let smallBytes = 256 << 10
  static let headBytes = 128 << 10
  static let tailBytes = 16 << 10
  /// What is read at least, from where the worker misses something.
  private static let stepBytes = 128 << 10
  /// Bytes that are read in parts at most.
  private static let mostBytes = 64 << 20
  /// Questions to the worker. Each may cost a transfer.
  private static let rounds = 8

  private let file: ScannedItem.File
  private let source: FileSource
  private let size: Int

  /// Nil where the file is to be read as a whole.
  init?(_ file: ScannedItem.File, _ source: FileSource) {
    guard source.readsRanges, file.size > Self.smallBytes, file.size <= ServiceLimits.resourceBytes else { return nil }
    (self.file, self.source, size) = (file, source, Int(file.size))
  }

  struct Found {
    var facts: ItemFacts
    var endsDigest: [UInt8]?
  }

  /// - Returns: Nil where the file is to be read as a whole.
  func look(_ media: any LibraryMedia, sidecar: SealedCopy?) throws(LookFailure) -> Found? {
    let copy: PartialCopy
    var endsDigest: [UInt8]?
    do throws(DeliveryError) {
      copy = try PartialCopy(byteCount: size)
      // With a hash of the storage's own a file that moved is known by that.
      if ItemFile.isHash(file.contentVersion) { try fill(copy, [head]) } else { endsDigest = try self.endsDigest(copy) }
    } catch {
      guard source.readsRanges else { return nil }
      throw .delivery(error)
    }
    for _ in 0..<Self.rounds {
      let answer: FarFacts
      do throws(MediaFailure) { answer = try media.facts(copy, sidecar: sidecar, name: file.filename) } catch {
        throw .media(error)
      }
      switch answer {
      case .facts(let facts): return Found(facts: facts, endsDigest: endsDigest)
      case .needs(let range):
        let more = range.lowerBound..<max(range.upperBound, min(size, range.lowerBound + Self.stepBytes))
        // From half of it on the whole file is no more work, and its digest comes with it.
        guard copy.filled + more.count <= min(size / 2, Self.mostBytes) else { return nil }
        do throws(DeliveryError) { try fill(copy, [more]) } catch {
          guard source.readsRanges else { return nil }
          throw .delivery(error)
        }
      }
    }
    return nil
  }

  /// SHA-256 of the size, the first and the last bytes.
  func endsDigest() throws(DeliveryError) -> [UInt8]? { try endsDigest(PartialCopy(byteCount: size)) }

  private func endsDigest(_ copy: PartialCopy) throws(DeliveryError) -> [UInt8]? {
    try fill(copy, [head, tail])
    return Self.endsDigest(size, try copy.bytes(head), try copy.bytes(tail))
  }

  /// The same of a file of this machine.
  static func endsDigest(of file: FileInPlace) throws(DeliveryError) -> [UInt8]? {
    let head = try file.read(offset: 0, length: Int64(headBytes))
    return endsDigest(
      Int(file.byteCount), head, try file.read(offset: file.byteCount - Int64(tailBytes), length: Int64(tailBytes)))
  }

  private static func endsDigest(_ size: Int, _ head: [UInt8], _ tail: [UInt8]) -> [UInt8]? {
    try? SHA256.digest(of: Array("\(size) ".utf8) + head + tail).bytes
  }

  private var head: Range<Int> { 0..<Self.headBytes }
  private var tail: Range<Int> { (size - Self.tailBytes)..<size }

  private func fill(_ copy: PartialCopy, _ ranges: [Range<Int>]) throws(DeliveryError) {
    try source.fill(
      copy, ranges.flatMap { copy.missing(in: $0) }, of: file.locator, contentVersion: file.contentVersion)
  }
}
