import BrokerInterface
import Foundation
import UnixSocket

struct ChangeUpload: Sendable {
  let parameters: Library.PerformChanges.Parameters
  /// Bytes of the steps that create assets, in their order. Each step names the index of its
  /// descriptor.
  let bytes: [AssetBytes]

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
  private static let pieceBytes = 524_288

  /// Sends the bytes in pieces and returns the upload's name on this connection.
  func upload(on wire: Wire) throws -> String {
    let upload = try wire.call(Library.BeginUpload.self, .init()).upload
    try forEachPiece(of: Self.pieceBytes) { piece in
      _ = try wire.call(Library.AppendUpload.self, .init(upload: upload, data: piece.base64EncodedString()))
    }
    return upload
  }
}
