import Cryptography
package import PhotoModel

/// What turns the broker's own identifiers into those of one app in one library, and back.
///
/// Each app sees a permutation of its own, fixed for good (R95), so that two apps cannot compare notes, and an identifier
/// that names nothing opens to a random value that is looked up like any other: absent and hidden cost the same.
package final class AppSeals {
  private let assets: BlockPermutation
  private let albums: BlockPermutation
  private let versions: BlockPermutation
  private let box: SealedBox

  init(library: LibraryRecord, app: AppIdentifier) {
    func key(_ purpose: String, _ count: Int) -> [UInt8] {
      KeyDerivation.hkdf(key: library.rootKey, info: "\(purpose) \(app)", count: count)
    }
    assets = BlockPermutation(key: key("asset identifiers", 16))
    albums = BlockPermutation(key: key("album identifiers", 16))
    versions = BlockPermutation(key: key("versions", 16))
    box = SealedBox(key: key("cursors and change tokens", 64))
  }

  /// The app's identifiers for these assets, in order.
  package func seal(_ identifiers: [AssetIdentifier]) -> [AssetIdentifier] {
    assets.encrypt(identifiers.map { Block($0.high, $0.low) }).map { AssetIdentifier(high: $0.high, low: $0.low) }
  }

  package func seal(_ identifier: AssetIdentifier) -> AssetIdentifier {
    let block = assets.encrypt(Block(identifier.high, identifier.low))
    return AssetIdentifier(high: block.high, low: block.low)
  }

  package func open(_ identifier: AssetIdentifier) -> AssetIdentifier {
    let block = assets.decrypt(Block(identifier.high, identifier.low))
    return AssetIdentifier(high: block.high, low: block.low)
  }

  package func seal(_ identifier: AlbumIdentifier) -> AlbumIdentifier {
    let block = albums.encrypt(Block(identifier.high, identifier.low))
    return AlbumIdentifier(high: block.high, low: block.low)
  }

  package func open(_ identifier: AlbumIdentifier) -> AlbumIdentifier {
    let block = albums.decrypt(Block(identifier.high, identifier.low))
    return AlbumIdentifier(high: block.high, low: block.low)
  }

  /// What an app hands back to be refused instead of overwriting a newer state: a function of what it can see of the
  /// assets, so that it says nothing of edits that came before the app could see them.
  package func versions(of rows: [AssetRow]) -> [UInt64] {
    versions.encrypt(rows.map { Block($0.visibleState, $0.identifier.low) }).map(\.high)
  }

  /// Seals a cursor or a change token; equal inputs give equal texts.
  func seal(_ bytes: [UInt8], for purpose: [UInt8]) -> String {
    Base64URL.encode(box.seal(bytes, associatedData: purpose))
  }

  /// Nil for anything that this app was not given for this purpose.
  func open(_ text: String, for purpose: [UInt8]) -> [UInt8]? {
    guard text.utf8.count <= 2_048, let bytes = Base64URL.decode(text) else { return nil }
    return box.open(bytes, associatedData: purpose)
  }
}

import Catalogue

extension AssetRow {
  /// A digest of every field that an app can see. Not secret by itself: it is permuted under the app's key.
  fileprivate var visibleState: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ value: UInt64) {
      hash = (hash ^ value) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
    }
    mix(UInt64(bitPattern: creationDate?.microseconds ?? .min))
    mix(UInt64(bitPattern: modificationDate.microseconds))
    mix(UInt64(subtypes.rawValue) << 32 | UInt64(mediaType.rawValue) << 8 | (flags.contains(.favourite) ? 1 : 0))
    mix(UInt64(width) << 32 | UInt64(height))
    mix(UInt64(durationMilliseconds))
    if let location {
      mix(UInt64(UInt32(bitPattern: location.latitudeE7)) << 32 | UInt64(UInt32(bitPattern: location.longitudeE7)))
    }
    for byte in fileName.utf8 { mix(UInt64(byte)) }
    return hash
  }
}
