import Catalogue
import PhotoModel

/// Places of assets that were added while apps add files. A scan and an app's call both find the
/// new file, in either order and without knowing of each other. It must become one asset, the
/// app's.
package final class PendingImports {
  private struct Place {
    let locator: ExactText
    let identityHint: String?
    let contentVersion: String

    init?(_ record: AssetRecord) {
      guard let original = record.resources.first(where: { $0.role == .original }) else { return nil }
      locator = ExactText(original.locator)
      identityHint = original.identityHint
      contentVersion = original.contentVersion
    }

    func isOther(than known: Place) -> Bool {
      guard let identityHint, let other = known.identityHint else { return false }
      return ExactText(identityHint) != ExactText(other)
    }
  }

  private var additions = 0
  private var writes = 0
  private var numbers: [ExactText: AssetNumber] = [:]
  private var places: [AssetNumber: Place] = [:]
  /// Assets that a scan added: in a first scan, the whole library.
  private var found: Set<AssetNumber> = []

  package init() {}

  /// Whether a file is being written that is not an asset yet.
  package var isBeingAddedTo: Bool { writes > 0 }

  /// Notes that a file is about to be written.
  package func begin() {
    additions += 1
    writes += 1
  }

  /// Notes that a file became an asset or was not written. Earlier findings of scans are no app's,
  /// once no other file is being written.
  package func didWrite() {
    writes -= 1
    guard writes == 0 else { return }
    for number in found { drop(number) }
    found = []
  }

  /// Ends the tracking of a write, after all scans that began before it have applied their
  /// findings.
  package func end() {
    additions -= 1
    guard additions == 0 else { return }
    numbers = [:]
    places = [:]
    found = []
  }

  /// The asset at a file's place, unless the storage reports a different file.
  func number(of record: AssetRecord) -> AssetNumber? {
    guard let place = Place(record), let number = numbers[place.locator], let known = places[number],
      known.locator == place.locator,
      !place.isOther(than: known)
    else { return nil }
    return number
  }

  /// Whether the storage confirms that the file at this place is unchanged since it became an
  /// asset.
  func isCertain(_ record: AssetRecord) -> Bool {
    guard let place = Place(record), let known = numbers[place.locator].flatMap({ places[$0] }) else { return false }
    return place.identityHint != nil && known.identityHint != nil && !place.isOther(than: known)
      && ExactText(place.contentVersion) == ExactText(known.contentVersion)
  }

  /// - Parameter creator: the app that added it; nil: a scan found it.
  func note(_ record: AssetRecord, addedBy creator: AppIdentifier?) {
    let number = record.row.number
    guard additions > 0, let place = Place(record) else { return }
    if creator != nil {
      found.remove(number)
    } else if places[number] == nil {
      guard writes > 0 else { return }
      found.insert(number)
    }
    drop(number)
    numbers[place.locator] = number
    places[number] = place
  }

  private func drop(_ number: AssetNumber) {
    guard let place = places.removeValue(forKey: number), numbers[place.locator] == number else { return }
    numbers[place.locator] = nil
  }
}
