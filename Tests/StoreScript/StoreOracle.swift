package import Broker
package import Catalogue
import PhotoModel

/// All rows of a library's catalogue, by number.
package func rows(of library: LibraryContents) -> [AssetRow] {
  (0..<library.nextNumber).compactMap { library.catalogue.row(of: AssetNumber($0)) }
}

extension DetachedFile {
  /// Whether a file has any key in common with this one.
  package func resembles(_ file: ResourceRecord) -> Bool {
    func same<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool { one != nil && one == other }
    if same(hint.map { ExactText($0) }, file.identityHint.map { ExactText($0) }) { return true }
    if same(place.map { ExactText($0) }, ExactText(file.locator)) { return true }
    guard size == file.size else { return false }
    return same(hash.map { ExactText($0) }, file.hash.map { ExactText($0) }) || same(digest, file.digest)
      || same(endsDigest, file.endsDigest) || ExactText(filename) == ExactText(file.filename)
  }
}

extension MissingAsset {
  /// Whether a file may belong to this asset, by identity or place.
  package func mayHave(_ file: ResourceRecord) -> Bool {
    record.resources.contains { own in
      (own.role == .sidecar) == (file.role == .sidecar)
        && (ExactText(own.locator) == ExactText(file.locator)
          || own.identityHint.map { ExactText($0) == ExactText(file.identityHint ?? "") } ?? false)
    }
  }
}
