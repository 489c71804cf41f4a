package import Catalogue
import Cryptography
package import PhotoModel

/// Converts the broker's identifiers to those of one app in one library, and back.
///
/// Each app sees its own fixed permutation of the identifiers (R95), so that apps cannot correlate
/// them. An unknown identifier decrypts to a random value, and its lookup fails like any other, so
/// that missing and invisible assets cost the same time. Every call throws `failed` if libcrypto
/// fails, which denies access.
package final class AppSeals {
  private let assets: BlockPermutation
  private let albums: BlockPermutation
  private let versions: BlockPermutation
  private let box: SealedBox

  /// - Parameter holder: the app, or what else has identifiers of its own.
  init(rootKey: [UInt8], of holder: String) throws(BrokerError) {
    do {
      let root = SecretBytes(copying: rootKey.span)
      assets = try BlockPermutation(
        key: HKDF.derive(from: root, info: Array("asset identifiers \(holder)".utf8), count: 16))
      albums = try BlockPermutation(
        key: HKDF.derive(from: root, info: Array("album identifiers \(holder)".utf8), count: 16))
      versions = try BlockPermutation(key: HKDF.derive(from: root, info: Array("versions \(holder)".utf8), count: 16))
      box = try SealedBox(
        key: HKDF.derive(from: root, info: Array("cursors and change tokens \(holder)".utf8), count: SealedBox.keyBytes)
      )
    } catch { throw .failed(error) }
  }

  package func versions(of rows: [AssetRow]) throws(BrokerError) -> [UInt64] { try versions(of: AssetPage(rows)) }

  /// The app's identifiers for the assets of a page, in order.
  package func identifiers(of page: AssetPage) throws(BrokerError) -> [UInt128] {
    var numbers = page.facts.map { UInt128($0.identifier.high, $0.identifier.low) }
    do { try assets.apply(&numbers) } catch { throw .failed(error) }
    return numbers
  }

  /// The app's identifiers for these assets, in order.
  package func seal(_ identifiers: [AssetIdentifier]) throws(BrokerError) -> [AssetIdentifier] {
    var numbers = identifiers.map { UInt128($0.high, $0.low) }
    do { try assets.apply(&numbers) } catch { throw .failed(error) }
    return numbers.map { AssetIdentifier(high: $0.highWord, low: $0.lowWord) }
  }

  package func seal(_ identifier: AssetIdentifier) throws(BrokerError) -> AssetIdentifier { try seal([identifier])[0] }

  package func open(_ identifier: AssetIdentifier) throws(BrokerError) -> AssetIdentifier {
    var numbers = [UInt128(identifier.high, identifier.low)]
    do { try assets.invert(&numbers) } catch { throw .failed(error) }
    return AssetIdentifier(high: numbers[0].highWord, low: numbers[0].lowWord)
  }

  package func seal(_ identifier: AlbumIdentifier) throws(BrokerError) -> AlbumIdentifier {
    var numbers = [UInt128(identifier.high, identifier.low)]
    do { try albums.apply(&numbers) } catch { throw .failed(error) }
    return AlbumIdentifier(high: numbers[0].highWord, low: numbers[0].lowWord)
  }

  package func open(_ identifier: AlbumIdentifier) throws(BrokerError) -> AlbumIdentifier {
    var numbers = [UInt128(identifier.high, identifier.low)]
    do { try albums.invert(&numbers) } catch { throw .failed(error) }
    return AlbumIdentifier(high: numbers[0].highWord, low: numbers[0].lowWord)
  }

  /// Versions with which an app asks for a change only if the assets are unchanged. They depend
  /// only on visible fields, so that they reveal no edits from before the app could see the assets.
  package func versions(of page: AssetPage) throws(BrokerError) -> [UInt64] {
    var numbers = page.withNames { names in
      page.facts.indices.map { UInt128(page.facts[$0].visibleState(names[$0]), page.facts[$0].identifier.low) }
    }
    do { try versions.apply(&numbers) } catch { throw .failed(error) }
    return numbers.map(\.highWord)
  }

  /// The version of an album.
  /// - Parameter state: the state of its ``VisibleAlbum``.
  package func version(of album: AlbumIdentifier, state: UInt64) throws(BrokerError) -> UInt64 {
    var numbers = [UInt128(state, album.low)]
    do { try versions.apply(&numbers) } catch { throw .failed(error) }
    return numbers[0].highWord
  }

  /// Seals a cursor or a change token. The result is deterministic.
  func seal(_ bytes: [UInt8], for purpose: [UInt8]) throws(BrokerError) -> String {
    do { return try box.sealToText(bytes, associated: purpose) } catch { throw .failed(error) }
  }

  /// Opens a sealed text; nil unless it was made for this app and purpose.
  func open(_ text: String, for purpose: [UInt8]) -> [UInt8]? {
    guard text.utf8.count <= 2_048 else { return nil }
    return try? box.openText(text, associated: purpose)
  }
}

extension UInt128 {
  fileprivate init(_ high: UInt64, _ low: UInt64) { self = UInt128(high) << 64 | UInt128(low) }
  fileprivate var highWord: UInt64 { UInt64(truncatingIfNeeded: self >> 64) }
  fileprivate var lowWord: UInt64 { UInt64(truncatingIfNeeded: self) }
}

extension BrokerError {
  static func failed(_ error: CryptographyError) -> Self {
    .failed(.keysBroken, "The broker's cryptography failed (\(error)); check the installation of libcrypto.")
  }
}

extension AssetFacts {
  /// A digest of every visible field. Not secret by itself: it is permuted under the app's key.
  fileprivate func visibleState(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var digest = visibleFields
    let bytes = UnsafeRawBufferPointer(name)
    var start = 0
    while bytes.count - start >= 8 {
      digest.mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
      start += 8
    }
    var rest = UInt64(bytes.count)
    for byte in bytes[start...] { rest = rest << 8 | UInt64(byte) }
    digest.mix(rest)
    return digest.value
  }

  /// The same digest without the name, which changes with the files.
  package var visibleState: UInt64 { visibleFields.value }

  private var visibleFields: StateDigest {
    var digest = StateDigest()
    digest.mix(UInt64(bitPattern: creationDate?.microseconds ?? .min))
    // The date that an app without places sees.
    if placeShiftMinutes != 0 { digest.mix(UInt64(bitPattern: Int64(placeShiftMinutes))) }
    digest.mix(UInt64(bitPattern: modificationDate.microseconds))
    digest.mix(UInt64(subtypes.rawValue) << 32 | UInt64(mediaType.rawValue) << 8 | (flags.contains(.favourite) ? 1 : 0))
    digest.mix(UInt64(width) << 32 | UInt64(height))
    digest.mix(UInt64(durationMilliseconds))
    if let location {
      digest.mix(
        UInt64(UInt32(bitPattern: location.latitudeE7)) << 32 | UInt64(UInt32(bitPattern: location.longitudeE7)))
    }
    return digest
  }
}
