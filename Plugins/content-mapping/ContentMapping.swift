import CContentMapping
import PhotoModel
public import PluginKit
@_spi(_Unicode) import Swift

/// Cloud identifiers from content alone: an HMAC under the application's identifier, so that it
/// takes no account and no network (R104), the same photo has the same one wherever it is, and two
/// applications share none.
///
/// An asset is known by the bytes of its stored original, an album by its title and the day on
/// which it was made (UTC). Titles are compared as people read them: composed or decomposed
/// letters, upper or lower case and outer spaces are one.
public final class ContentMapping: CloudMapping {
  /// Begins each identifier: what made it, in which version, and what it names.
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
