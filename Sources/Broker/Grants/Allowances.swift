package import Catalogue
import Limits
import PhotoModel

/// Counts the photos and bytes that apps take in an hour and a day, for grants with an allowance (R157).
/// A start counts the entries of the ledgers again.
package final class Allowances {
  private unowned let broker: Broker

  private struct Taken {
    private static let hourLength: Int64 = 3_600_000_000
    private(set) var hour: Int64 = .min
    var day: Int64 { hour / 24 }
    /// The day's photos of which the app got bytes, each with the hour of the last delivery.
    private var photos: [AssetNumber: Int64] = [:]
    private var photosOfHour = 0
    private var bytesOfHour: Int64 = 0
    private var bytesOfDay: Int64 = 0
    /// The largest default of the day, so that a backup goes on after its selection became smaller.
    var byDefault: Int64 = 0

    static func hour(at time: Timestamp) -> Int64 { time.microseconds / hourLength }

    /// Begins anew if an earlier hour or day is over.
    mutating func begin(at now: Timestamp) {
      let present = Self.hour(at: now)
      guard present != hour else { return }
      if present / 24 != day { self = Taken() }
      (hour, photosOfHour, bytesOfHour) = (present, 0, 0)
    }

    /// Counts a delivery of an hour of this day, which may be over.
    mutating func add(_ asset: AssetNumber?, _ bytes: Int64, in hour: Int64) {
      let isPresent = hour >= self.hour
      if let asset, isPresent, photos.updateValue(self.hour, forKey: asset) != self.hour { photosOfHour += 1 }
      if let asset, !isPresent, photos[asset] == nil { photos[asset] = hour }
      if isPresent { bytesOfHour = Self.sum(bytesOfHour, bytes) }
      bytesOfDay = Self.sum(bytesOfDay, bytes)
    }

    private static func sum(_ taken: Int64, _ bytes: Int64) -> Int64 {
      let (sum, overflow) = taken.addingReportingOverflow(max(0, bytes))
      return overflow ? .max : sum
    }

    /// Whether one more delivery exceeds a limit.
    func exceeds(_ limit: Allowance.Limit, of amount: Int64, with asset: AssetNumber, _ bytes: Int64) -> Bool {
      if limit.countsBytes {
        let taken = limit.isHourly ? bytesOfHour : bytesOfDay
        return taken > amount || bytes > amount - taken
      }
      let isKnown = limit.isHourly ? photos[asset] == hour : photos[asset] != nil
      return !isKnown && (limit.isHourly ? photosOfHour : photos.count) >= amount
    }
  }
  private var taken: [GrantKey: Taken] = [:]

  init(_ broker: Broker) { self.broker = broker }

  /// The limits in force. The default is among them, and no limit of 0.
  package func allowance(of grant: GrantState, in library: LibraryState) -> Allowance {
    let record = grant.record
    var allowance = record.terms.allowance
    if allowance[.photosPerDay] == 0 {
      allowance[.photosPerDay] = nil
    } else if allowance[.photosPerDay] == nil, record.status == .limited {
      var past = taken[record.key] ?? Taken()
      past.begin(at: broker.clock.read())
      allowance[.photosPerDay] = max(past.byDefault, byDefault(grant, library))
    }
    return allowance
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

  /// Counts bytes of a photo before they are delivered. A delivery beyond the allowance pauses the
  /// grant, as a decision of its own, and asks its owners. Once resumed, the app has a whole
  /// allowance again.
  /// - Throws: `accessUserDenied` for such a delivery.
  package func take(_ asset: AssetNumber, _ bytes: Int64, under permit: Permit) throws(BrokerError) {
    let (grant, key, now) = (permit.grant, permit.grant.record.key, broker.clock.read())
    // An app has the bytes of its own additions already.
    guard grant.record.hasAllowance, permit.library.assets.creators[asset] != key.app else { return }
    var present = taken.removeValue(forKey: key) ?? Taken()
    let hour = Taken.hour(at: now)
    if present.day != hour / 24 { taken = taken.filter { $0.value.day == hour / 24 } }
    present.begin(at: now)
    if let limit = exceeded(&present, asset, bytes, permit) {
      pause(grant, in: permit.library, for: limit)
      throw .overAllowance(limit)
    }
    present.add(asset, bytes, in: hour)
    taken[key] = present
  }

  /// The first limit that a delivery exceeds.
  private func exceeded(
    _ taken: inout Taken, _ asset: AssetNumber, _ bytes: Int64, _ permit: Permit
  ) -> Allowance.Limit? {
    let record = permit.grant.record
    for limit in Allowance.Limit.allCases {
      var amount = record.terms.allowance[limit]
      if limit == .photosPerDay, amount == nil, record.status == .limited {
        // The default is computed only when it matters.
        if taken.exceeds(limit, of: taken.byDefault, with: asset, bytes) {
          taken.byDefault = max(taken.byDefault, byDefault(permit.grant, permit.library))
        }
        amount = taken.byDefault
      }
      if let amount, amount > 0, taken.exceeds(limit, of: amount, with: asset, bytes) { return limit }
    }
    return nil
  }

  private func pause(_ grant: GrantState, in library: LibraryState, for limit: Allowance.Limit) {
    let decider = Decider(
      uid: library.record.owner, role: .owner, origin: "allowance of \(limit.words)", source: .allowance)
    let edit = GrantEdit(decider: decider, action: "pause", change: { $0.setPaused(true, by: .owner) }) { [self] _ in
      // Before the commit, it could join a prompt whose answer is being saved, and close with it.
      guard grant.record.isPaused, let app = broker.apps[grant.record.key.app] else { return }
      _ = try? broker.promptService.ask(.allowance, grant.record.key, app, library, exceeded: limit)
    }
    broker.editor.submit(edit, on: grant, in: library)
  }

  // MARK: Starts

  /// Counts the deliveries before a start that belong to the present hour and day.
  /// - Parameter deliveries: the oldest first.
  func restore(_ deliveries: [LedgerRecord], in library: LibraryState) {
    let now = broker.clock.read()
    // The ledger has the wall clock's time. After it was set back, a delivery counts at the latest
    // time before.
    var latest = Timestamp(microseconds: .min)
    for delivery in deliveries {
      latest = max(latest, delivery.time)
      guard let key = broker.tokens[delivery.accessor]?.grant, let grant = broker.grants[key],
        key.library == library.record.name, grant.record.hasAllowance
      else { continue }
      let place = library.catalogue.position(of: delivery.asset, in: .everything)
      let asset = place.map { library.catalogue.row($0).number }
      if let asset, library.assets.creators[asset] == key.app { continue }
      var present = taken.removeValue(forKey: key) ?? Taken()
      present.begin(at: now)
      let hour = Taken.hour(at: latest)
      if hour / 24 >= present.day { present.add(asset, delivery.bytes, in: hour) }
      taken[key] = present
    }
  }
}

extension GrantRecord {
  /// Whether the bytes that its app takes are counted.
  package var hasAllowance: Bool {
    terms.allowance.hasLimit || terms.allowance[.photosPerDay] == nil && status == .limited
  }
}

extension BrokerError {
  static func overAllowance(_ limit: Allowance.Limit) -> Self {
    photos(
      .accessUserDenied,
      "The app took more \(limit.words) than its owner allows, so its access is paused until the owner resumes it.")
  }
}
