import Broker
import Catalogue
import PhotoModel

extension AssetTables {
  /// The numbers of the assets in a scope, in order.
  func numbers(of library: LibraryName, in scope: AssetScope) throws(SQLiteError) -> [UInt32] {
    guard let number = try optionalNumber(of: library) else { return [] }
    let range = (SQLiteValue.integer(number << 32), SQLiteValue.integer((number + 1) << 32))
    var found = Set(scope.assets.map(\.rawValue))
    func take(_ row: Statement) { found.insert(UInt32(truncatingIfNeeded: row.integer(0))) }
    let folder = Schema.folderOfLocator
    for place in scope.folders {
      if place.isDeep, place.path.isEmpty {
        try each("SELECT id FROM assets WHERE id >= ? AND id < ?", range.0, range.1) { row throws(SQLiteError) in
          take(row)
        }
      } else if place.isDeep {
        // "0" follows "/" in ASCII.
        try each(
          """
          SELECT asset FROM resources INDEXED BY resources_by_folder
          WHERE \(folder) >= ? AND \(folder) < ? AND asset >= ? AND asset < ?
          """, .text(place.path + "/"), .text(place.path + "0"), range.0, range.1
        ) { row throws(SQLiteError) in take(row) }
      } else {
        try each(
          "SELECT asset FROM resources INDEXED BY resources_by_folder WHERE \(folder) = ? AND asset >= ? AND asset < ?",
          .text(place.path.isEmpty ? "" : place.path + "/"), range.0, range.1
        ) { row throws(SQLiteError) in take(row) }
      }
    }
    for locator in scope.locators.map(\.text) {
      let end =
        locator.utf8.lastIndex(of: UInt8(ascii: "/")).map { locator.utf8.index(after: $0) } ?? locator.startIndex
      try each(
        """
        SELECT asset FROM resources INDEXED BY resources_by_folder
        WHERE \(folder) = ? AND locator = ? AND asset >= ? AND asset < ?
        """, .text(String(locator[..<end])), .text(locator), range.0, range.1
      ) { row throws(SQLiteError) in take(row) }
    }
    for hint in scope.hints {
      try each(
        "SELECT asset FROM resources INDEXED BY resources_by_hint WHERE identity_hint = ? AND asset >= ? AND asset < ?",
        .text(hint),
        range.0, range.1
      ) { row throws(SQLiteError) in take(row) }
    }
    for identifier in scope.livePhotoIdentifiers {
      try each(
        "SELECT id FROM assets INDEXED BY assets_by_live_photo WHERE live_photo = ? AND id >= ? AND id < ?",
        .text(identifier),
        range.0, range.1
      ) { row throws(SQLiteError) in take(row) }
    }
    return found.sorted()
  }
}
