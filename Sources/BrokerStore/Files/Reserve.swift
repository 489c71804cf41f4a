import Glibc

/// Room on the disk that is kept for taking rights away: on a full disk it is given back piece by piece.
struct Reserve: ~Copyable {
  /// What one release gives back.
  static let pieceBytes: Int64 = 512 << 10

  private let file: StateFile
  private let targetBytes: Int64
  private var heldBytes: Int64

  /// - Parameter bytes: how much to keep. A disk that is full already is no error: the reserve
  ///   grows when there is room.
  init(_ folder: StateFolder, bytes: Int64) throws(StoreError) {
    file = try StateFile(path: folder.reserve)
    targetBytes = bytes
    heldBytes = file.size
    refill()
  }

  /// Whether all of it is there.
  var isWhole: Bool { heldBytes >= targetBytes }

  /// Gives a piece back to the file system; false where nothing is left.
  mutating func release() -> Bool {
    guard heldBytes > 0 else { return false }
    let rest = max(0, heldBytes - Self.pieceBytes)
    guard ftruncate(file.number, off_t(rest)) == 0 else { return false }
    heldBytes = rest
    return true
  }

  /// Takes back what was given, as far as there is room.
  mutating func refill() {
    if heldBytes > targetBytes, ftruncate(file.number, off_t(targetBytes)) == 0 { heldBytes = targetBytes }
    while heldBytes < targetBytes {
      let piece = min(Self.pieceBytes, targetBytes - heldBytes)
      guard posix_fallocate(file.number, off_t(heldBytes), off_t(piece)) == 0 else {
        // What a failed call left behind is no reserve.
        _ = ftruncate(file.number, off_t(heldBytes))
        return
      }
      heldBytes += piece
    }
  }
}
