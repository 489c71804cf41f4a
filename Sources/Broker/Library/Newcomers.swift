import Catalogue
import PhotoModel

/// Where assets lie that were taken up while apps add some. A look at the storage and the call of the app that adds a file both find
/// that file, in either order, and neither knows of the other: it is one asset, and the app's.
package final class Newcomers {
  private var additions = 0
  private var numbers: [ExactText: AssetNumber] = [:]
  private var places: [AssetNumber: ExactText] = [:]

  package init() {}

  /// Something is about to be added.
  package func begin() { additions += 1 }

  /// It is taken up, and so is whatever was found by looks that began before that.
  package func end() {
    additions -= 1
    guard additions == 0 else { return }
    numbers = [:]
    places = [:]
  }

  func number(of record: AssetRecord) -> AssetNumber? {
    guard let place = Self.place(of: record), let number = numbers[place], places[number] == place else { return nil }
    return number
  }

  func note(_ record: AssetRecord) {
    guard additions > 0, let place = Self.place(of: record) else { return }
    numbers[place] = record.row.number
    places[record.row.number] = place
  }

  private static func place(of record: AssetRecord) -> ExactText? {
    record.resources.first { $0.role == .original }.map { ExactText($0.locator) }
  }
}
