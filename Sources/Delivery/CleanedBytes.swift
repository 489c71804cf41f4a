package import Cleaning
import Glibc
package import UnixSocket

extension SealedCopy {
  /// Plans the cleaning of bytes that nobody changes meanwhile.
  package typealias Planner = (borrowing FileDescriptor) throws(DeliveryError) -> CleaningPlan

  /// Makes a copy of these bytes with a plan's changes. Nothing of the original can be read from it.
  ///
  /// - Parameter isWanted: Called before each piece of at most 1 MiB; false cancels.
  /// - Throws: `readerGone` if cancelled; `noSpace`, `system`, the planner's errors.
  package func cleaned(
    _ planner: Planner, hasher: Hasher? = nil, isWanted: () -> Bool = { true }
  ) throws(DeliveryError) -> SealedCopy {
    let plan = try planner(descriptor)
    let writer = try SealedWriter()
    var copied = 0
    while copied < byteCount {
      guard isWanted() else { throw .readerGone }
      let count = try writer.append(
        from: descriptor.number, offset: copied, limit: min(byteCount - copied, 1 << 20))
      guard count > 0 else { throw .system(EIO, "Copying a copy") }
      copied += count
    }
    try writer.apply(plan) { () throws(DeliveryError) in
      guard isWanted() else { throw .readerGone }
    }
    return try writer.seal(hasher: hasher)
  }
}

extension SealedWriter {
  /// Cleans the bytes in place, before anyone else has them.
  ///
  /// - Parameter checkpoint: Called before each piece of at most 1 MiB; an error ends the cleaning.
  borrowing func clean(
    _ planner: SealedCopy.Planner, checkpoint: () throws(DeliveryError) -> Void
  ) throws(DeliveryError) { try apply(planner(reopened()), checkpoint: checkpoint) }

  borrowing func apply(_ plan: CleaningPlan, checkpoint: () throws(DeliveryError) -> Void) throws(DeliveryError) {
    for edit in plan.edits {
      var offset = edit.offset
      let end = edit.offset + edit.count
      while offset < end {
        try checkpoint()
        let piece = edit.bytes(from: offset - edit.offset, limit: 1 << 20)
        try piece.withUnsafeBytes { bytes in
          Result { () throws(DeliveryError) in try overwrite(bytes, at: offset) }
        }.get()
        offset += piece.count
      }
    }
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
