package import Catalogue
import Limits
import PhotoModel

/// The different photos of which apps got bytes today, for grants with an allowance (R157). A restart
/// of the broker begins the day anew.
package final class Allowances {
  private unowned let broker: Broker
  private struct Day {
    let number: Int64
    var photos: Set<AssetNumber> = []
    /// The largest default of the day, so that a backup goes on after its selection became smaller.
    var byDefault: Int64 = 0
  }
  private var taken: [GrantKey: Day] = [:]

  init(_ broker: Broker) { self.broker = broker }

  private var today: Int64 { broker.clock.read().microseconds / 86_400_000_000 }

  /// The most different photos of which an app gets bytes today. Nil: no limit.
  package func allowance(of grant: GrantState, in library: LibraryState) -> Int64? {
    let record = grant.record
    guard record.hasAllowance else { return nil }
    let past = taken[record.key].flatMap { $0.number == today ? $0.byDefault : nil }
    return record.terms.photosPerDay ?? max(past ?? 0, byDefault(grant, library))
  }

  /// Three times the selection without the app's own additions. A backup of it takes less, and a
  /// harvest through a selection that changes all day takes more.
  private func byDefault(_ grant: GrantState, _ library: LibraryState) -> Int64 {
    let catalogue = library.catalogue
    func triple(_ chosen: Selection) -> Int64 { 3 * Int64(catalogue.count(in: .limited(chosen, subset: nil))) }
    // The search for the app's additions looks at all additions.
    guard triple(grant.selection) > BrokerLimits.photosPerDay else { return BrokerLimits.photosPerDay }
    let chosen = catalogue.difference(grant.selection, library.selections.own(of: grant))
    return max(BrokerLimits.photosPerDay, triple(chosen))
  }

  /// Counts a photo before bytes of it are delivered. A photo beyond the allowance pauses the grant,
  /// as a decision of its own, and asks its owners. Once resumed, the app has a whole allowance again.
  /// - Throws: `accessUserDenied` for such a photo.
  package func take(_ asset: AssetNumber, under permit: Permit) throws(BrokerError) {
    let (grant, key, day) = (permit.grant, permit.grant.record.key, today)
    // An app has the bytes of its own additions already.
    guard grant.record.hasAllowance, permit.library.assets.creators[asset] != key.app else { return }
    if taken[key]?.number != day { taken = taken.filter { $0.value.number == day } }
    var today = taken.removeValue(forKey: key) ?? Day(number: day)
    if !today.photos.contains(asset) {
      let (count, chosen) = (Int64(today.photos.count), grant.record.terms.photosPerDay)
      if chosen == nil, count >= today.byDefault {
        today.byDefault = max(today.byDefault, byDefault(grant, permit.library))
      }
      guard count < chosen ?? today.byDefault else {
        pause(grant, in: permit.library)
        throw .overAllowance()
      }
      today.photos.insert(asset)
    }
    taken[key] = today
  }

  private func pause(_ grant: GrantState, in library: LibraryState) {
    let decider = Decider(uid: library.record.owner, role: .owner, origin: "allowance", source: .allowance)
    let edit = GrantEdit(decider: decider, action: "pause", change: { $0.setPaused(true, by: .owner) }) { [self] _ in
      // Before the commit, it could join a prompt whose answer is being saved, and close with it.
      guard grant.record.isPaused, let app = broker.apps[grant.record.key.app] else { return }
      _ = try? broker.promptService.ask(.allowance, grant.record.key, app, library)
    }
    broker.editor.submit(edit, on: grant, in: library)
  }
}

extension GrantRecord {
  fileprivate var hasAllowance: Bool { terms.photosPerDay.map { $0 > 0 } ?? (status == .limited) }
}

extension BrokerError {
  static func overAllowance() -> Self {
    photos(
      .accessUserDenied,
      "The app took more photos today than its owner allows, so its access is paused until the owner resumes it.")
  }
}
