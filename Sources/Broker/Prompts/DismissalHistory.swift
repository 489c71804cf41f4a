import Limits
import PhotoModel

/// Remembers dismissals without a decision, so that a program cannot wear a person down by
/// reopening dialogs, even under a new identity. A dismissal is no denial: pauses start short, and
/// any use of such a dialog ends them.
struct DismissalHistory {
  enum Kind: String, CaseIterable {
    /// A picker that gave no photos, or whose app disconnected.
    case picker
    /// A cancelled selection page.
    case selection
    /// A prompt about keeping the selection that expired with its token. An answer is no dismissal,
    /// not even "keep": the prompt comes only once in a life cycle (R54).
    case keepSelection
    /// A pending prompt whose words the app changed.
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
    /// The manifest's identifier.
    var claimed: String
    var time: Timestamp
  }

  /// Number of remembered dismissals for each user and kind; more do not lengthen the pause.
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

  /// Clears an app's dismissals after the person used such a dialog.
  /// - Returns: whether there were any.
  mutating func forgive(_ kind: Kind, _ library: LibraryName, _ app: AppRecord) -> Bool {
    let asker = Asker(library: library, uid: app.uid, kind: kind)
    let before = dismissals[asker] ?? []
    let after = before.filter { $0.claimed != app.manifest.identifier }
    dismissals[asker] = after.isEmpty ? nil : after
    return after.count < before.count
  }

  mutating func forget(_ library: LibraryName) { dismissals = dismissals.filter { $0.key.library != library } }

  /// The end of the pause after repeated dismissals; nil: no pause.
  func pause(_ kind: Kind, _ library: LibraryName, _ app: AppRecord, now: Timestamp) -> Timestamp? {
    let recent = recent(dismissals[Asker(library: library, uid: app.uid, kind: kind)] ?? [], now: now)
    let own = recent.filter { $0.claimed == app.manifest.identifier }
    return [
      Self.pause(recent, BrokerLimits.dismissalsPerUser, now: now),
      Self.pause(own, BrokerLimits.dismissalsPerApp, now: now),
    ].compactMap { $0 }.max()
  }

  /// Each dismissal above the limit doubles the pause.
  private static func pause(_ recent: [Dismissal], _ limit: Int, now: Timestamp) -> Timestamp? {
    guard recent.count >= limit, let last = recent.last?.time else { return nil }
    var pause = BrokerLimits.dismissalPause
    for _ in limit..<recent.count where pause < BrokerLimits.coolDown { pause = pause * 2 }
    let end = last.advanced(by: min(pause, BrokerLimits.coolDown))
    return end > now ? end : nil
  }

  /// The dismissals that count: neither old, nor dated far into the future by a clock that ran
  /// ahead.
  private func recent(_ dismissals: [Dismissal], now: Timestamp) -> [Dismissal] {
    dismissals.filter {
      $0.time.advanced(by: BrokerLimits.coolDown) > now && now.advanced(by: BrokerLimits.coolDown) > $0.time
    }
  }

  // MARK: Across a restart of the broker

  /// A library's recent dismissals for a setting, one line each: kind, user, microseconds, the
  /// manifest's identifier.
  func text(of library: LibraryName, now: Timestamp) -> String {
    var lines: [String] = []
    for (asker, known) in dismissals where asker.library == library {
      for dismissal in recent(known, now: now) {
        lines.append("\(asker.kind.rawValue) \(asker.uid) \(dismissal.time.microseconds) \(dismissal.claimed)")
      }
    }
    return lines.sorted().joined(separator: "\n")
  }

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
