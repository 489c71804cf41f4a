import Glibc

/// Disk space reserved for revocations. On a full disk it is released piece by piece.
struct Reserve: ~Copyable {
  static let pieceBytes: Int64 = 512 << 10

  private let file: StateFile
  private let targetBytes: Int64
  private var heldBytes: Int64

  /// - Parameter bytes: the size of the reserve. A full disk is no error: the reserve grows once
  ///   there is room.
  init(_ folder: StateFolder, bytes: Int64) throws(StoreError) {
    file = try StateFile(path: folder.reserve)
    targetBytes = bytes
    heldBytes = file.size
    refill()
  }

  var isWhole: Bool { heldBytes >= targetBytes }

  /// Releases a piece to the file system; false if nothing is left.
  mutating func release() -> Bool {
    guard heldBytes > 0 else { return false }
    let rest = max(0, heldBytes - Self.pieceBytes)
    guard ftruncate(file.number, off_t(rest)) == 0 else { return false }
    heldBytes = rest
    return true
  }

  /// Grows or shrinks the file to its target, as far as there is room.
  mutating func refill() {
    if heldBytes > targetBytes, ftruncate(file.number, off_t(targetBytes)) == 0 { heldBytes = targetBytes }
    while heldBytes < targetBytes {
      let piece = min(Self.pieceBytes, targetBytes - heldBytes)
      guard posix_fallocate(file.number, off_t(heldBytes), off_t(piece)) == 0 else {
        // A failed call may lengthen the file without reserving space.
        _ = ftruncate(file.number, off_t(heldBytes))
        return
      }
      heldBytes += piece
    }
  }
}
