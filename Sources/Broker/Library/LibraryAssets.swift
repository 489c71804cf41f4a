package import Catalogue
package import PhotoModel

/// The assets of one library: their catalogue, the apps that added some, and the latest edits.
package final class LibraryAssets {
  let library: LibraryName
  package internal(set) var catalogue: Catalogue
  /// The catalogue in place, for one access during which nothing changes it: a copy would retain
  /// each of its columns.
  package var catalogueInPlace: Catalogue { _read { yield catalogue } }
  /// The app that added an asset, for assets that apps added.
  package internal(set) var creators: [AssetNumber: AppIdentifier]
  /// Edits since the start, which an indexer with an earlier state must not overwrite.
  var recentEdits: [AssetNumber: RecentEdit] = [:]
  /// Assets whose files were added or restored during the running scan; nil: no scan is running.
  package internal(set) var placed: Set<AssetNumber>?
  private var nextNumber: UInt32

  init(_ contents: LibraryContents) {
    library = contents.record.name
    catalogue = contents.catalogue
    creators = contents.creators
    nextNumber = contents.nextNumber
  }

  // MARK: Numbers

  /// A mark that tells present assets from later ones.
  package var mark: AssetMark { AssetMark(next: nextNumber) }

  /// The number that an asset gets after `count` planned ones.
  func number(after count: Int) throws(BrokerError) -> AssetNumber {
    guard let number = UInt32(exactly: UInt64(nextNumber) + UInt64(count)), number < .max else {
      throw .photos(
        .limitExceeded, "The library has given out all its asset numbers; add a new library on the same folder.")
    }
    return AssetNumber(number)
  }

  /// Numbers are never reused.
  func takeNumber() throws(BrokerError) -> AssetNumber {
    defer { nextNumber += 1 }
    return try number(after: 0)
  }

  /// Takes numbers that ``number(after:)`` gave to planned assets.
  func takeNumbers(_ count: Int) { nextNumber += UInt32(count) }

  // MARK: Reading

  /// The rows of a page. Call it before the library changes: the page holds positions only.
  package func rows(of page: Page) -> [AssetRow] { catalogue.rows(page.positions) }

  /// The visible asset with an identifier. Invisible and missing assets take the same path and give
  /// the same error.
  package func asset(_ identifier: AssetIdentifier, in view: View) throws(BrokerError) -> AssetRow {
    guard let position = catalogue.position(of: identifier, in: view) else { throw .identifierNotFound() }
    return catalogue.row(position)
  }

  /// The row of an asset that is not missing.
  func present(_ number: AssetNumber) -> AssetRow? {
    catalogue.row(of: number).flatMap { $0.flags.contains(.missing) ? nil : $0 }
  }

  /// Number of assets in the library, hidden ones included and trashed ones not.
  package var presentCount: Int {
    var query = Query()
    query.withoutFlags = .trashed
    return catalogue.count(query, in: .owner)
  }

  /// Number of assets that a grant shows.
  package func visibleCount(_ grant: GrantState, subset: Selection? = nil) -> Int {
    guard let view = grant.view(subset: subset) else { return 0 }
    return catalogue.count(in: view)
  }

  /// Assets that these apps added. They are in the selection whenever the grant becomes limited
  /// (R43).
  package func created(by apps: Set<AppIdentifier>) -> Selection {
    catalogue.selection(of: creators.lazy.filter { apps.contains($0.value) }.map(\.key))
  }

  /// Assets that an owner can select. Excludes never-shared and trashed ones (R13) and cloud-shared
  /// ones (R45).
  func selectable(_ wanted: Selection) -> [AssetNumber] {
    catalogue.numbers(in: catalogue.subset(of: wanted, without: [.neverShare, .trashed, .cloudShared]))
  }

  // MARK: Changing

  func noteEdit(of number: AssetNumber, _ fields: EditedFields, caption: String? = nil) {
    guard !fields.isEmpty else { return }
    recentEdits[number, default: RecentEdit()].fields.formUnion(fields)
    if let caption { recentEdits[number]?.caption = caption }
  }

  func forget(_ number: AssetNumber) {
    _ = catalogue.remove(number)
    recentEdits[number] = nil
    creators[number] = nil
  }

  // MARK: Compaction

  /// A snapshot of the catalogue for a worker, which compacts it for `adopt`.
  package func takeSnapshot() -> CatalogueSnapshot { catalogue.snapshot() }

  /// Adopts a sorted order, unless the catalogue was compacted meanwhile.
  package func adopt(_ prepared: consuming PreparedOrder) { catalogue.adopt(prepared) }

  /// Adopts a compacted catalogue, and repeats the changes since the snapshot.
  package func adopt(_ compacted: consuming CompactedCatalogue) { catalogue.replace(with: compacted) }
}
