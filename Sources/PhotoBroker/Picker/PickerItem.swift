import BrokerInterface
public import Foundation
import UnixSocket

/// A picked photo or video: a right to exactly its bytes as they were picked, until
/// ``expirationDate`` and for as long as this object and the app's process live, unless the owner
/// takes it back.
public final class PickerItem: Sendable {
  /// The name of the file.
  public let filename: String
  public let mediaType: MediaType
  /// In pixels; 0 where unknown.
  public let pixelWidth: Int
  /// In pixels; 0 where unknown.
  public let pixelHeight: Int
  /// For a video.
  public let duration: TimeInterval?
  /// When it can be loaded no longer; nil where the broker does not say.
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

  /// The bytes, which come in pieces where they are more than 1 GiB. They may have to come from
  /// afar; cancelling the task ends that, and with it every item of the same picker.
  ///
  /// - Parameter progress: told which part has come, from 0 to 1; called on a thread of its own.
  /// - Throws: ``PhotosError`` such as `identifierNotFound` where the owner took the item back or
  ///   its time is over, `missingResource` where the file changed since it was picked, or
  ///   `networkError`; ``PhotoLibraryError``; `CancellationError`.
  public func loadData(progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws -> Data {
    try await line.performUntilCancelled { [name] wire in
      do {
        if let data = try Self.load(name, on: wire, progress) { return data }
      } catch let error as PhotosError where error.code == .requestNotSupportedForAsset {
        // Too large for a descriptor.
      }
      let data = try Pieces.all { offset in
        let piece = try wire.call(Picker.ReadItem.self, .init(item: name, offset: offset, length: Pieces.bytes))
        return (try Pieces.decode(piece.data), piece.isLast)
      }
      progress(1)
      return data
    }
  }

  /// By descriptor; nil where none arrives.
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
