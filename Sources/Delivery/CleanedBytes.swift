package import Cleaning
import Glibc
import UnixSocket

extension SealedCopy {
  /// Makes a copy of these bytes with a plan's changes. Nothing of the original can be read from it.
  ///
  /// - Parameter isWanted: Called before each piece of at most 1 MiB; false cancels.
  /// - Throws: `readerGone` if cancelled; `noSpace`, `system`.
  package func cleaned(by plan: CleaningPlan, isWanted: () -> Bool = { true }) throws(DeliveryError) -> SealedCopy {
    let writer = try SealedWriter()
    var copied = 0
    while copied < byteCount {
      guard isWanted() else { throw .readerGone }
      let count = try writer.append(
        from: descriptor.number, offset: copied, limit: min(byteCount - copied, 1 << 20))
      guard count > 0 else { throw .system(EIO, "Copying a copy") }
      copied += count
    }
    for edit in plan.edits {
      var offset = edit.offset
      let end = edit.offset + edit.count
      while offset < end {
        guard isWanted() else { throw .readerGone }
        let piece = edit.bytes(from: offset - edit.offset, limit: 1 << 20)
        var failure: DeliveryError?
        piece.withUnsafeBytes { bytes in
          do throws(DeliveryError) { try writer.overwrite(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
        offset += piece.count
      }
    }
    return try writer.seal(hasher: nil)
  }
}

extension CleaningPlan.Edit {
  /// Some of its bytes, at least one.
  fileprivate func bytes(from start: Int, limit: Int) -> ArraySlice<UInt8> {
    switch content {
    case .fill(let byte, let count): [UInt8](repeating: byte, count: min(limit, count - start))[...]
    case .bytes(let bytes): bytes[start...].prefix(limit)
    }
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
