import Catalogue
import PhotoModel

/// Where assets lie that were taken up while apps add some. A look at the storage and the call of
/// the app that adds a file both find that file, in either order, and neither knows of the other:
/// it is one asset, and the app's.
package final class Newcomers {
  private struct Place {
    let locator: ExactText
    /// What the storage knows the file by wherever it lies, where it does.
    let identityHint: String?
    let contentVersion: String

    init?(_ record: AssetRecord) {
      guard let original = record.resources.first(where: { $0.role == .original }) else { return nil }
      locator = ExactText(original.locator)
      identityHint = original.identityHint
      contentVersion = original.contentVersion
    }

    /// Whether the storage says that another file lies there.
    func isOther(than known: Place) -> Bool {
      guard let identityHint, let other = known.identityHint else { return false }
      return ExactText(identityHint) != ExactText(other)
    }
  }

  private var additions = 0
  private var writes = 0
  private var numbers: [ExactText: AssetNumber] = [:]
  private var places: [AssetNumber: Place] = [:]
  /// Those of them that a look took up. As many as the library has, at its first look.
  private var found: Set<AssetNumber> = []

  package init() {}

  /// Whether something is being written into the storage that is not taken up yet.
  package var isBeingAddedTo: Bool { writes > 0 }

  /// Something is about to be written into the storage.
  package func begin() {
    additions += 1
    writes += 1
  }

  /// It is taken up, or was not written. What looks found until now is no app's when nothing else is being written.
  package func didWrite() {
    writes -= 1
    guard writes == 0 else { return }
    for number in found { drop(number) }
    found = []
  }

  /// Whatever was found by looks that began before that is taken up, too.
  package func end() {
    additions -= 1
    guard additions == 0 else { return }
    numbers = [:]
    places = [:]
    found = []
  }

  /// The asset in a file's place, unless the storage says that it is another file.
  func number(of record: AssetRecord) -> AssetNumber? {
    guard let place = Place(record), let number = numbers[place.locator], let known = places[number],
      known.locator == place.locator,
      !place.isOther(than: known)
    else { return nil }
    return number
  }

  /// Whether the storage says that the file in this place is the one that was taken up, and as it was.
  func isCertain(_ record: AssetRecord) -> Bool {
    guard let place = Place(record), let known = numbers[place.locator].flatMap({ places[$0] }) else { return false }
    return place.identityHint != nil && known.identityHint != nil && !place.isOther(than: known)
      && ExactText(place.contentVersion) == ExactText(known.contentVersion)
  }

  /// - Parameter creator: The app that added it; nil: a look found it.
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
