import Limits
import PhotoModel

/// Remembers what a person put aside without a decision, so that a program cannot wear them down by
/// opening it again and again, not even under a new identity. Putting something aside is no denial:
/// the pauses begin short, and whatever a person does with what they are shown ends them.
struct DismissalHistory {
  enum Kind: String, CaseIterable {
    /// A picker that gave nothing, or that its app let go of.
    case picker
    /// A selection page that was cancelled.
    case selection
    /// A question whether the selection is kept, which went unanswered with the token that its app
    /// asked with. An answer is none, "keep" neither: it is asked once in a life cycle (R54).
    case keepSelection
    /// A question whose words the app changed while it waited.
    case changedWords

    init?(_ kind: PromptRecord.Kind) {
      switch kind {
      case .authorization: return nil
      case .keepSelection: self = .keepSelection
      case .selection: self = .selection
      }
    }
  }

  private struct Asker: Hashable {
    var library: LibraryName
    var uid: UInt32
    var kind: Kind
  }

  private struct Dismissal {
    /// What the app calls itself.
    var claimed: String
    var time: Timestamp
  }

  /// More than these of one user and kind need not be known: after so many, the pause is as long as it gets.
  private static let most = 32
  /// The latest of each, in the order of their times.
  private var dismissals: [Asker: [Dismissal]] = [:]

  mutating func note(_ kind: Kind, _ library: LibraryName, _ app: AppRecord, at time: Timestamp) {
    note(Dismissal(claimed: app.manifest.identifier, time: time), of: Asker(library: library, uid: app.uid, kind: kind))
  }

  private mutating func note(_ dismissal: Dismissal, of asker: Asker) {
    var latest = dismissals[asker] ?? []
    let place = latest.firstIndex { $0.time > dismissal.time } ?? latest.endIndex
    latest.insert(dismissal, at: place)
    dismissals[asker] = latest.suffix(Self.most)
  }

  /// The person made use of what the app showed them: it may do so again.
  /// - Returns: whether anything was known that counts no more.
  mutating func forgive(_ kind: Kind, _ library: LibraryName, _ app: AppRecord) -> Bool {
    let asker = Asker(library: library, uid: app.uid, kind: kind)
    let before = dismissals[asker] ?? []
    let after = before.filter { $0.claimed != app.manifest.identifier }
    dismissals[asker] = after.isEmpty ? nil : after
    return after.count < before.count
  }

  mutating func forget(_ library: LibraryName) { dismissals = dismissals.filter { $0.key.library != library } }

  /// Until when the person is left alone with it; nil: they need not be.
  func pause(_ kind: Kind, _ library: LibraryName, _ app: AppRecord, now: Timestamp) -> Timestamp? {
    let recent = recent(dismissals[Asker(library: library, uid: app.uid, kind: kind)] ?? [], now: now)
    let own = recent.filter { $0.claimed == app.manifest.identifier }
    return [
      Self.pause(recent, BrokerLimits.dismissalsPerUser, now: now),
      Self.pause(own, BrokerLimits.dismissalsPerApp, now: now),
    ].compactMap { $0 }.max()
  }

  /// Each one beyond the first few makes the pause twice as long.
  private static func pause(_ recent: [Dismissal], _ limit: Int, now: Timestamp) -> Timestamp? {
    guard recent.count >= limit, let last = recent.last?.time else { return nil }
    var pause = BrokerLimits.dismissalPause
    for _ in limit..<recent.count where pause < BrokerLimits.coolDown { pause = pause * 2 }
    let end = last.advanced(by: min(pause, BrokerLimits.coolDown))
    return end > now ? end : nil
  }

  /// Those that count: not from long ago, nor dated far into the future by a clock that ran ahead.
  private func recent(_ dismissals: [Dismissal], now: Timestamp) -> [Dismissal] {
    dismissals.filter {
      $0.time.advanced(by: BrokerLimits.coolDown) > now && now.advanced(by: BrokerLimits.coolDown) > $0.time
    }
  }

  // MARK: Across a restart of the broker

  /// What counts in a library, a line for each: kind, user, microseconds, what the app calls itself.
  func text(of library: LibraryName, now: Timestamp) -> String {
    var lines: [String] = []
    for (asker, known) in dismissals where asker.library == library {
      for dismissal in recent(known, now: now) {
        lines.append("\(asker.kind.rawValue) \(asker.uid) \(dismissal.time.microseconds) \(dismissal.claimed)")
      }
    }
    return lines.sorted().joined(separator: "\n")
  }

  /// Takes up what ``text(of:now:)`` gave.
  mutating func restore(_ text: String, of library: LibraryName) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, let kind = Kind(rawValue: String(words[0])), let uid = UInt32(words[1]),
        let time = Int64(words[2])
      else { continue }
      note(
        Dismissal(claimed: String(words[3]), time: Timestamp(microseconds: time)),
        of: Asker(library: library, uid: uid, kind: kind))
    }
  }
}
