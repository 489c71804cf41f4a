import BrokerInterface
import Foundation
import UnixSocket

struct AssetUpload: Sendable {
  let filename: String
  let bytes: AssetBytes
  var isDryRun = false

  /// Sends the bytes by descriptor, or in pieces if the socket refuses descriptors.
  func send(on wire: Wire) throws -> String {
    do {
      let parameters = Library.AddAsset.Parameters(filename: filename, descriptor: 0, dryRun: isDryRun ? true : nil)
      return try wire.call(Library.AddAsset.self, parameters, handing: try bytes.descriptors()).localIdentifier
    } catch let error as UnixSocketError where error.code == .descriptorsRefused {
      return try sendPieces(on: wire)
    }
  }

  func sendPieces(on wire: Wire) throws -> String {
    let upload = try bytes.upload(on: wire)
    return try wire.call(
      Library.AddAsset.self, .init(filename: filename, upload: upload, dryRun: isDryRun ? true : nil)
    ).localIdentifier
  }
}
