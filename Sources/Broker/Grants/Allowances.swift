package import Catalogue
import PhotoModel

/// The different photos of which apps got bytes today, for grants with an allowance (R157). A restart
/// of the broker begins the day anew.
package final class Allowances {
  private unowned let broker: Broker
  private struct Day {
    let number: Int64
    var photos: Set<AssetNumber> = []
  }
  private var taken: [Accessor: Day] = [:]

  init(_ broker: Broker) { self.broker = broker }

  /// Counts a photo before bytes of it are delivered. A photo beyond the allowance pauses the grant,
  /// as a decision of its own; once resumed, the app has a whole allowance again.
  /// - Throws: `accessUserDenied` for such a photo.
  package func take(_ asset: AssetNumber, under permit: Permit) throws(BrokerError) {
    guard let allowed = permit.grant.record.terms.photosPerDay else { return }
    let (key, day) = (permit.grant.record.accessor, broker.clock.read().microseconds / 86_400_000_000)
    if taken[key]?.number != day { taken = taken.filter { $0.value.number == day } }
    var today = taken.removeValue(forKey: key) ?? Day(number: day)
    guard today.photos.contains(asset) || today.photos.count < allowed else {
      pause(permit.grant, in: permit.library)
      throw .overAllowance()
    }
    today.photos.insert(asset)
    taken[key] = today
  }

  private func pause(_ grant: GrantState, in library: LibraryState) {
    let decider = Decider(uid: library.record.owner, role: .owner, origin: "allowance", source: .allowance)
    let edit = GrantEdit(
      decider: decider, action: "pause", change: { $0.setPaused(true, by: .owner) }, completion: { _ in })
    broker.editor.submit(edit, on: grant, in: library)
  }
}

extension BrokerError {
  static func overAllowance() -> Self {
    photos(
      .accessUserDenied,
      "The app took more photos today than its owner allows, so its access is paused until the owner resumes it.")
  }
}
