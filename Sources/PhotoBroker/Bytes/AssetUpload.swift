import BrokerInterface
import Foundation
import UnixSocket

/// Hands the bytes of a new asset to the broker.
struct AssetUpload: Sendable {
  let filename: String
  let bytes: AssetBytes
  /// True: the broker checks them and adds nothing.
  var isDryRun = false

  /// How many bytes one `AppendUpload` takes.
  private static let pieceBytes = 524_288

  /// By descriptor; in pieces where the broker takes none.
  func send(on wire: Wire) throws -> String {
    do {
      let parameters = Library.AddAsset.Parameters(filename: filename, descriptor: 0, dryRun: isDryRun ? true : nil)
      return try wire.call(Library.AddAsset.self, parameters, handing: try bytes.descriptors()).localIdentifier
    } catch let error as UnixSocketError where error.code == .descriptorsRefused {
      return try sendPieces(on: wire)
    }
  }

  func sendPieces(on wire: Wire) throws -> String {
    let upload = try wire.call(Library.BeginUpload.self, .init()).upload
    try bytes.forEachPiece(of: Self.pieceBytes) { piece in
      _ = try wire.call(Library.AppendUpload.self, .init(upload: upload, data: piece.base64EncodedString()))
    }
    return try wire.call(Library.AddAsset.self, .init(filename: filename, upload: upload, dryRun: isDryRun ? true : nil)).localIdentifier
  }
}
