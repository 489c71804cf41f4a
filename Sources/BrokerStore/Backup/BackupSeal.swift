import Cryptography
import Glibc
import PhotoModel

/// The last line of a backup: the SHA-256 of everything before it, which reveals damage in storage.
/// It is no protection against forgery: a user who may restore a backup may do anything anyway.
final class BackupSeal {
  private static let mark = "\nSHA-256 of this photobroker backup up to here: "
  /// Bytes of the seal: mark, digest and newline. The size is no multiple of a database page, so
  /// that a backup with a damaged seal cannot pass for one without a seal.
  private static let size = mark.utf8.count + 65
  /// Bytes per piece: about a millisecond.
  private static let pieceBytes = 1 << 20

  private let file: Int32
  private let hash: SHA256
  private var offset: Int64 = 0
  private var piece = [UInt8](repeating: 0, count: BackupSeal.pieceBytes)

  /// The file must be complete and without other writers.
  init(_ path: String) throws(SQLiteError) {
    guard let hash = try? SHA256() else { throw Self.failure("SHA-256 is not available") }
    self.hash = hash
    file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw Self.failure("the copy could not be read back", errno) }
  }

  deinit { if file >= 0 { close(file) } }

  /// Hashes one piece.
  /// - Returns: whether all is hashed and the seal is written.
  func step() throws(SQLiteError) -> Bool {
    if try read(upTo: .max) { return false }
    let line = Array((Self.mark + Self.text(try digest()) + "\n").utf8)
    guard pwrite(file, line, line.count, off_t(offset)) == line.count else {
      throw Self.failure("the copy could not be completed", errno)
    }
    return true
  }

  /// Removes the seal from a file.
  /// - Returns: whether there was one; a plain copy of a state has none.
  /// - Throws: `corrupt` if the file differs from the sealed one.
  static func take(from path: String) throws(StoreError) -> Bool {
    do throws(SQLiteError) { return try BackupSeal(path).take() } catch { throw StoreError(error) }
  }

  private func take() throws(SQLiteError) -> Bool {
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw Self.failure("the copy could not be read back", errno) }
    let end = Int64(facts.st_size) - Int64(Self.size)
    var line = [UInt8](repeating: 0, count: Self.size)
    guard end >= 0, pread(file, &line, line.count, off_t(end)) == line.count, line.starts(with: Self.mark.utf8) else {
      // A database without a seal has whole pages.
      guard facts.st_size % 512 == 0 else { throw SQLiteError(.corrupt, "it does not consist of whole pages") }
      return false
    }
    while try read(upTo: end) {}
    guard String(decoding: line, as: UTF8.self) == Self.mark + Self.text(try digest()) + "\n" else {
      throw SQLiteError(.corrupt, "its digest does not match")
    }
    guard ftruncate(file, off_t(end)) == 0 else { throw Self.failure("the copy could not be shortened", errno) }
    return true
  }

  /// - Returns: false at the end.
  private func read(upTo end: Int64) throws(SQLiteError) -> Bool {
    let wanted = Int(min(Int64(piece.count), end - offset))
    guard wanted > 0 else { return false }
    let count = pread(file, &piece, wanted, off_t(offset))
    guard count >= 0 else { throw Self.failure("the copy could not be read back", errno) }
    let isRead: Void? = piece.withUnsafeBytes { try? hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    guard isRead != nil else { throw Self.failure("SHA-256 is not available") }
    offset += Int64(count)
    return count > 0
  }

  private func digest() throws(SQLiteError) -> Digest {
    guard let digest = try? hash.finish() else { throw Self.failure("SHA-256 is not available") }
    return digest
  }

  private static func text(_ digest: Digest) -> String { Hex.text(digest.bytes) }

  private static func failure(_ what: String, _ cause: Int32 = 0) -> SQLiteError {
    SQLiteError(SQLiteError.isFull(cause) ? .full : .input, what)
  }
}
