import CContentMapping
import PhotoModel
public import PluginKit
@_spi(_Unicode) import Swift

/// Cloud identifiers computed from content: an HMAC keyed with the application's identifier.
///
/// It needs no account and no network (R104). One photo has one identifier everywhere, and no two
/// applications share one. An asset is identified by the bytes of its original file, an album by
/// its title and its creation day (UTC). Titles are compared after Unicode normalization, ignoring
/// case and outer spaces.
public final class ContentMapping: CloudMapping {
  /// Prefixes of the identifiers: mapping, version and kind of object.
  private static let assetMark = "content1-asset-"
  private static let albumMark = "content1-album-"

  public init(options: PluginOptions) throws(PluginError) {}

  public func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginError) -> [String?] {
    let key = Array("photobroker content mapping 1 ".utf8) + Array(application.utf8)
    var names: [String?] = []
    names.reserveCapacity(items.count)
    for item in items {
      switch item {
      case .asset(let digest):
        names.append(Self.assetMark + Base64URL.text(try Self.code(key, Array("asset ".utf8) + digest)))
      case .album(let title, let created):
        let text = "album \(Self.day(created)) \(Self.normalised(title))"
        names.append(Self.albumMark + Base64URL.text(try Self.code(key, Array(text.utf8))))
      }
    }
    return names
  }

  private static func code(_ key: [UInt8], _ message: [UInt8]) throws(PluginError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    guard content_mapping_hmac(key, key.count, message, message.count, &code) == 1 else {
      throw PluginError(.failed, "libcrypto failed; check its installation.")
    }
    return code
  }

  /// Days since 1970-01-01 in UTC, rounded down.
  private static func day(_ time: Timestamp) -> Int64 {
    let length: Int64 = 86_400_000_000
    let (days, rest) = time.microseconds.quotientAndRemainder(dividingBy: length)
    return rest < 0 ? days - 1 : days
  }

  private static func normalised(_ title: String) -> String {
    let trimmed = title.drop(while: \.isWhitespace)
    let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
    var text = String.UnicodeScalarView()
    text.append(contentsOf: String(trimmed[..<end]).lowercased()._nfc)
    return String(text)
  }
}
