import Broker
import PhotoModel

/// The end of a cloud identifier that this library made: the local identifier, sealed (R97).
///
/// On its own machine it names the asset or album for certain, whatever became of its title or bytes.
/// Elsewhere it opens to an identifier that nothing has, and the mapping's name before it decides.
struct CloudHint {
  private static let separator = UInt8(ascii: ".")
  private static let digits = 32
  /// Takes the place of a mapping's name for an asset whose bytes the app does not get (R150). The hint
  /// alone then names it.
  static let nameOfNoContent = "local"

  private let seals: AppSeals

  init(_ library: LibraryState, application: String) throws(BrokerError) {
    seals = try library.seals.hints(of: application)
  }

  func appended(to name: String, _ asset: AssetIdentifier) throws(BrokerError) -> String {
    "\(name).\(try seals.seal(asset))"
  }

  func appended(to name: String, _ album: AlbumIdentifier) throws(BrokerError) -> String {
    "\(name).\(try seals.seal(album))"
  }

  /// A cloud identifier: the mapping's name in it, and what its hint opens to.
  struct Opened {
    let text: String
    var name: String
    var asset: AssetIdentifier?
    var album: AlbumIdentifier?
  }

  func open(_ text: String) throws(BrokerError) -> Opened {
    let bytes = text.utf8
    guard bytes.count > Self.digits, case let end = bytes.index(bytes.endIndex, offsetBy: -Self.digits),
      case let point = bytes.index(before: end), bytes[point] == Self.separator,
      let asset = AssetIdentifier(String(text[end...])), let album = AlbumIdentifier(String(text[end...]))
    else { return Opened(text: text, name: text) }
    return Opened(text: text, name: String(text[..<point]), asset: try seals.open(asset), album: try seals.open(album))
  }
}
