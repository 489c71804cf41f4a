import BrokerInterface
import CLinux
import Foundation
import UnixSocket

/// Hands the bytes of a new asset to the broker.
struct AssetUpload: Sendable {
  let filename: String
  let contents: Data
  /// True: the broker checks them and adds nothing.
  var isDryRun = false

  /// How many bytes one `AppendUpload` takes.
  private static let pieceBytes = 524_288

  /// By descriptor; in pieces where the broker takes none.
  func send(on wire: Wire) throws -> String {
    do {
      let parameters = Library.AddAsset.Parameters(filename: filename, descriptor: 0, dryRun: isDryRun ? true : nil)
      return try wire.call(Library.AddAsset.self, parameters, handing: try memoryFile()).localIdentifier
    } catch let error as UnixSocketError where error.code == .descriptorsRefused {
      return try sendPieces(on: wire)
    }
  }

  private func sendPieces(on wire: Wire) throws -> String {
    let upload = try wire.call(Library.BeginUpload.self, .init()).upload
    var rest = contents[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceBytes)
      _ = try wire.call(Library.AppendUpload.self, .init(upload: upload, data: piece.base64EncodedString()))
      rest = rest.dropFirst(piece.count)
    }
    return try wire.call(Library.AddAsset.self, .init(filename: filename, upload: upload, dryRun: isDryRun ? true : nil)).localIdentifier
  }

  /// The bytes in a sealed memory file.
  private func memoryFile() throws -> OwnedDescriptors {
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
