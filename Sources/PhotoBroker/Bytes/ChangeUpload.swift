import BrokerInterface
import Foundation
import UnixSocket

/// Hands the bytes of what a change creates to the broker.
struct ChangeUpload: Sendable {
  let parameters: Library.PerformChanges.Parameters
  /// Of the steps that create assets, in their order; each of these names its descriptor.
  let bytes: [AssetBytes]

  /// By descriptor; in pieces where the broker takes none.
  func send(on wire: Wire) throws -> Library.PerformChanges.Reply {
    do {
      var descriptors = OwnedDescriptors()
      for one in bytes { descriptors.append(contentsOf: try one.descriptors()) }
      return try wire.call(Library.PerformChanges.self, parameters, handing: descriptors)
    } catch let error as UnixSocketError where error.code == .descriptorsRefused {
      return try sendPieces(on: wire)
    }
  }

  private func sendPieces(on wire: Wire) throws -> Library.PerformChanges.Reply {
    var parameters = parameters
    for index in parameters.changes.indices {
      guard let number = parameters.changes[index].descriptor else { continue }
      parameters.changes[index].descriptor = nil
      parameters.changes[index].upload = try bytes[Int(number)].upload(on: wire)
    }
    return try wire.call(Library.PerformChanges.self, parameters)
  }
}

extension AssetBytes {
  /// How many bytes one `AppendUpload` takes.
  private static let pieceBytes = 524_288

  /// Sends them in pieces; answers what the upload is called on this connection.
  func upload(on wire: Wire) throws -> String {
    let upload = try wire.call(Library.BeginUpload.self, .init()).upload
    try forEachPiece(of: Self.pieceBytes) { piece in
      _ = try wire.call(Library.AppendUpload.self, .init(upload: upload, data: piece.base64EncodedString()))
    }
    return upload
  }
}
