import Cryptography
import Delivery
import Indexer
import Limits
import PhotoModel

/// Reads the facts of a remote file from as few bytes as possible: its beginning and end, then the
/// ranges that the media worker asks for.
struct FarLook {
  /// Files up to this size in bytes are read in full, in one transfer.
  static let smallBytes = 256 << 10
  static let headBytes = 128 << 10
  static let tailBytes = 16 << 10
  /// Fewest bytes of one range that the worker asked for.
  private static let stepBytes = 128 << 10
  /// Most bytes that are read in ranges.
  private static let mostBytes = 64 << 20
  /// Most requests to the worker. Each may cost a transfer.
  private static let rounds = 8

  private let file: ItemFile
  private let source: FileSource
  private let size: Int

  /// Nil if the file has to be read in full.
  init?(_ file: ItemFile, _ source: FileSource) {
    guard source.readsRanges, file.size > Self.smallBytes, file.size <= ServiceLimits.resourceBytes else { return nil }
    (self.file, self.source, size) = (file, source, Int(file.size))
  }

  struct Found {
    var facts: ItemFacts
    var endsDigest: [UInt8]?
  }

  /// - Returns: Nil if the file has to be read in full.
  func look(_ media: any LibraryMedia, sidecar: SealedCopy?, bySignature: Bool) throws(LookFailure) -> Found? {
    let copy: PartialCopy
    var endsDigest: [UInt8]?
    do throws(DeliveryError) {
      copy = try PartialCopy(byteCount: size)
      // A hash from the storage identifies the file without further digests.
      if ItemFile.isHash(file.contentVersion) { try fill(copy, [head]) } else { endsDigest = try self.endsDigest(copy) }
    } catch {
      guard source.readsRanges else { return nil }
      throw .delivery(error)
    }
    for _ in 0..<Self.rounds {
      let answer: FarFacts
      do throws(MediaFailure) {
        answer =
          bySignature
          ? .facts(try media.signature(copy.descriptor, name: file.filename))
          : try media.facts(copy, sidecar: sidecar, name: file.filename)
      } catch { throw .media(error) }
      switch answer {
      case .facts(let facts): return Found(facts: facts, endsDigest: endsDigest)
      case .needs(let range):
        let more = range.lowerBound..<max(range.upperBound, min(size, range.lowerBound + Self.stepBytes))
        // Beyond half of the file, a full read costs no more and gives its digest.
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

  /// The digest of a local file.
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
