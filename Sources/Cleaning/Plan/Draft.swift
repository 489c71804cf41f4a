/// The unordered changes of a plan in the making.
final class Draft {
  let withheld: ErasedFacts
  private var edits: [CleaningPlan.Edit] = []
  private var pictures: [Range<Int>] = []
  private var literalBytes = 0

  /// The greatest depth of files inside files.
  static let depthLimit = 6
  /// The greatest number of protected ranges.
  private static let pictureLimit = 4_000_000

  init(_ withheld: ErasedFacts) { self.withheld = withheld }

  func fill(_ range: Range<Int>, with byte: UInt8 = 0) throws(Uncleanable) {
    guard !range.isEmpty else { return }
    try add(.init(offset: range.lowerBound, .fill(byte, count: range.count)))
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(Uncleanable) {
    guard !bytes.isEmpty else { return }
    try add(.init(offset: offset, .bytes(bytes)))
  }

  private func add(_ edit: CleaningPlan.Edit) throws(Uncleanable) {
    // Adjacent fills merge later.
    guard edits.count < 2 * CleaningPlan.editLimit else { throw .tooComplex }
    if case .bytes(let bytes) = edit.content { literalBytes += bytes.count }
    guard literalBytes <= CleaningPlan.literalLimitBytes else { throw .tooComplex }
    edits.append(edit)
  }

  /// Forbids edits in a part of the picture.
  func protect(_ range: Range<Int>) throws(Uncleanable) {
    guard pictures.count < Self.pictureLimit else { throw .tooComplex }
    if !range.isEmpty { pictures.append(range) }
  }

  /// Fills all of a part except the given ranges.
  func fillGaps(in part: Range<Int>, keeping kept: [Range<Int>]) throws(Uncleanable) {
    var position = part.lowerBound
    for range in Ranges.merged(kept) {
      if range.upperBound <= position { continue }
      guard range.lowerBound < part.upperBound else { break }
      if range.lowerBound > position { try fill(position..<range.lowerBound) }
      position = min(range.upperBound, part.upperBound)
    }
    if position < part.upperBound { try fill(position..<part.upperBound) }
  }

  /// Runs a part of the work; after a failure its edits are dropped, and the answer is nil.
  func attempt<R>(_ body: () throws(Uncleanable) -> R) -> R? {
    let (editCount, pictureCount, literalCount) = (edits.count, pictures.count, literalBytes)
    do { return try body() } catch {
      edits.removeLast(edits.count - editCount)
      pictures.removeLast(pictures.count - pictureCount)
      literalBytes = literalCount
      return nil
    }
  }

  /// Runs a part of the work, and applies its edits to a copy of the bytes from `start` on as well.
  func apply(to copy: inout [UInt8], from start: Int, _ body: () throws(Uncleanable) -> Void) throws(Uncleanable) {
    let first = edits.count
    try body()
    for edit in edits[first...] {
      let offset = edit.offset - start
      guard offset >= 0, edit.count <= copy.count - offset else { throw .overlap }
      switch edit.content {
      case .fill(let byte, let count): for index in offset..<(offset + count) { copy[index] = byte }
      case .bytes(let bytes): copy.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
      }
    }
  }

  /// The plan of all edits.
  func plan(byteCount: Int) throws(Uncleanable) -> CleaningPlan {
    var merged: [CleaningPlan.Edit] = []
    for edit in edits.sorted(by: { $0.offset < $1.offset }) {
      guard let last = merged.last, edit.offset <= last.offset + last.count else {
        merged.append(edit)
        continue
      }
      if case .fill(let byte, let count) = edit.content, case .fill(byte, let before) = last.content {
        let end = max(last.offset + before, edit.offset + count)
        merged[merged.count - 1] = .init(offset: last.offset, .fill(byte, count: end - last.offset))
      } else {
        guard edit.offset == last.offset + last.count else { throw .overlap }
        merged.append(edit)
      }
    }
    guard merged.count <= CleaningPlan.editLimit else { throw .tooComplex }
    let touched = merged.map { $0.offset..<($0.offset + $0.count) }
    guard !Ranges.overlap(Ranges.merged(pictures), touched) else { throw .overlap }
    guard let plan = CleaningPlan(merged, byteCount: byteCount) else { throw .tooComplex }
    return plan
  }
}
