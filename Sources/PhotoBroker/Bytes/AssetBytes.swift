import CLinux
import Foundation
import UnixSocket

/// Where the bytes of a new asset are.
enum AssetBytes: Sendable {
  case data(Data)
  case file(AssetFile)

  /// A descriptor to hand over: of the file, or of a sealed memory file with the data.
  ///
  /// - Throws: `bytesUnavailable`.
  func descriptors() throws -> OwnedDescriptors {
    switch self {
    case .data(let data): try Self.memoryFile(data)
    case .file(let file): try file.descriptors()
    }
  }

  /// All of them, in pieces of at most so many bytes.
  ///
  /// - Throws: `bytesUnavailable`, and what `take` throws.
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
