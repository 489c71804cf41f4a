package import Cleaning
import UnixSocket

extension SealedCopy {
  /// Makes a copy of these bytes with a plan's changes. Nothing of the original can be read from it.
  ///
  /// - Parameter isWanted: Called before each piece of at most 512 KiB; false cancels.
  /// - Throws: `readerGone` if cancelled; `noSpace`, `system`.
  package func cleaned(by plan: CleaningPlan, isWanted: () -> Bool = { true }) throws(DeliveryError) -> SealedCopy {
    let writer = try SealedWriter()
    var offset = 0
    while offset < byteCount {
      guard isWanted() else { throw .readerGone }
      var piece = try InlineReader.read(self, offset: Int64(offset), length: InlineReader.pieceLimitBytes)
      plan.overwrite(&piece, at: offset)
      var failure: DeliveryError?
      piece.withUnsafeBytes { bytes in
        do throws(DeliveryError) { try writer.append(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
      offset += piece.count
    }
    return try writer.seal(hasher: nil)
  }
}

extension CleaningPlan {
  /// Changes a piece of the file that begins at this offset.
  package func overwrite(_ piece: inout [UInt8], at offset: Int) {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      if edits[middle].offset + edits[middle].count <= offset { low = middle + 1 } else { high = middle }
    }
    let end = offset + piece.count
    for edit in edits[low...] {
      guard edit.offset < end else { return }
      let changed = max(edit.offset, offset)..<min(edit.offset + edit.count, end)
      switch edit.content {
      case .fill(let byte, _): for place in changed { piece[place - offset] = byte }
      case .bytes(let bytes): for place in changed { piece[place - offset] = bytes[place - edit.offset] }
      }
    }
  }
}
