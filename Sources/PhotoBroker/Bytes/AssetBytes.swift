import CLinux
import Foundation
import UnixSocket

enum AssetBytes: Sendable {
  case data(Data)
  case file(AssetFile)

  /// A memory file is sealed, so that it cannot change while the broker reads it.
  ///
  /// - Throws: `bytesUnavailable`.
  func descriptors() throws -> OwnedDescriptors {
    switch self {
    case .data(let data): try Self.memoryFile(data)
    case .file(let file): try file.descriptors()
    }
  }

  /// - Throws: `bytesUnavailable`, and the errors of `take`.
  func forEachPiece(of bytes: Int, _ take: (Data) throws -> Void) throws {
    switch self {
    case .file(let file): try file.forEachPiece(of: bytes, take)
    case .data(let data):
      var rest = data[...]
      while !rest.isEmpty {
        let piece = rest.prefix(bytes)
        try take(piece)
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  private static func memoryFile(_ contents: Data) throws -> OwnedDescriptors {
    let number = clinux_memory_file("photobroker-asset")
    guard number >= 0 else {
      throw PhotoLibraryError(.bytesUnavailable, "No memory file can be made; close some files and try again.")
    }
    let file = FileDescriptor(owning: number)
    let isWritten = contents.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let taken = write(file.number, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if taken > 0 { done += taken } else if taken == 0 || errno != EINTR { return false }
      }
      return true
    }
    guard isWritten, lseek(file.number, 0, SEEK_SET) == 0, clinux_seal(file.number) >= 0 else {
      throw PhotoLibraryError(.bytesUnavailable, "There is no memory to hand the bytes over; add a smaller file.")
    }
    return OwnedDescriptors(file)
  }
}
