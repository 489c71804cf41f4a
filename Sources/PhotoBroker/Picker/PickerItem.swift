import BrokerInterface
public import Foundation
import UnixSocket

/// A picked photo or video: the right to load its bytes as they were picked.
///
/// The right lasts until ``expirationDate``, and ends earlier when this object or the process goes
/// away, or when the owner revokes it.
public final class PickerItem: Sendable {
  /// The name of the file.
  public let filename: String
  public let mediaType: MediaType
  /// Width in pixels; 0 if unknown.
  public let pixelWidth: Int
  /// Height in pixels; 0 if unknown.
  public let pixelHeight: Int
  /// Length in seconds; nil if it is no video.
  public let duration: TimeInterval?
  /// End of the right to load it; nil if the broker does not say.
  public let expirationDate: Date?
  private let name: String
  private let line: Line

  init(_ name: String, _ result: Picker.Result, expires: Int64? = nil, on line: Line) {
    expirationDate = expires.map { Date(microseconds: $0) }
    self.name = name
    self.line = line
    filename = result.filename ?? ""
    mediaType = result.mediaType.flatMap(MediaType.init(rawValue:)) ?? .unknown
    pixelWidth = Int(clamping: result.pixelWidth)
    pixelHeight = Int(clamping: result.pixelHeight)
    duration = result.duration
  }

  /// Loads the bytes. More than 1 GiB arrives in pieces.
  ///
  /// The storage may have to download the file first. Cancelling the task ends the download, and
  /// invalidates every item of the same picker.
  ///
  /// - Parameter progress: called with the loaded fraction, from 0 to 1, on a private thread.
  /// - Throws: ``PhotosError``: `identifierNotFound` if the item expired or was revoked,
  ///   `missingResource` if the file changed since it was picked, `networkError`;
  ///   ``PhotoLibraryError``; `CancellationError`.
  public func loadData(progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws -> Data {
    try await line.performUntilCancelled { [name] wire in
      do {
        if let data = try Self.load(name, on: wire, progress) { return data }
      } catch let error as PhotosError where error.code == .requestNotSupportedForAsset {
      }
      let data = try Pieces.all { offset in
        let piece = try wire.call(Picker.ReadItem.self, .init(item: name, offset: offset, length: Pieces.bytes))
        return (try Pieces.decode(piece.data), piece.isLast)
      }
      progress(1)
      return data
    }
  }

  private static func load(_ name: String, on wire: Wire, _ progress: (Double) -> Void) throws -> Data? {
    try wire.follow(Picker.LoadItem.self, .init(item: name))
    while true {
      let (data, continues) = try wire.receive(Picker.LoadItem.self) { reply, descriptors -> Data? in
        progress(reply.size > 0 ? min(1, Double(reply.received) / Double(reply.size)) : 0)
        guard let number = descriptors.number(at: reply.descriptor) else { return nil }
        return try DescriptorBytes.read(number, size: reply.size)
      }
      if data != nil || !continues { return data }
    }
  }
}
