import Limits
import PhotoModel

/// Denials and dismissals, so that a program cannot wear a person down by asking again, even under
/// a new identity. Each kind has pauses of its own.
struct AskingBackoff {
  enum Kind: String {
    case denied
    /// A picker that gave no photos, or whose app disconnected.
    case picker
    /// A refused deletion, or one whose app disconnected.
    case deletion
    /// A cancelled selection page.
    case selection
    /// A prompt about keeping the selection that expired with its token. An answer is no dismissal,
    /// not even "keep": the prompt comes only once in a life cycle (R54).
    case keepSelection
    /// A pending prompt whose words the app changed.
    case changedWords

    /// Nil: the prompt is not the app's.
    init?(_ kind: PromptRecord.Kind) {
      switch kind {
      case .authorization: self = .denied
      case .keepSelection: self = .keepSelection
      case .selection: self = .selection
      case .allowance: return nil
      }
    }

    fileprivate var limits: (app: Int, user: Int, pause: Duration) {
      self == .denied
        ? (BrokerLimits.denialsPerApp, BrokerLimits.denialsPerUser, BrokerLimits.coolDown)
        : (BrokerLimits.dismissalsPerApp, BrokerLimits.dismissalsPerUser, BrokerLimits.dismissalPause)
    }
  }

  private struct Asker: Hashable {
    var library: LibraryName
    var uid: UInt32
    var kind: Kind
  }

  private struct Attempt {
    /// The manifest's identifier.
    var claimed: String
    var time: Timestamp

    /// Whether the attempt can still cause a pause: it is neither old, nor dated far into the
    /// future by a clock that ran ahead.
    func counts(at now: Timestamp) -> Bool {
      time.advanced(by: BrokerLimits.coolDown * 2) > now && now.advanced(by: BrokerLimits.coolDown) > time
    }
  }

  /// Number of remembered attempts for each user and kind; more do not lengthen the pause.
  private static let most = 32
  private var attempts: [Asker: [Attempt]] = [:]

  mutating func note(_ kind: Kind, _ library: LibraryName, _ app: AppRecord, at time: Timestamp) {
    let asker = Asker(library: library, uid: app.uid, kind: kind)
    note(Attempt(claimed: app.manifest.identifier, time: time), of: asker)
  }

  private mutating func note(_ attempt: Attempt, of asker: Asker) {
    attempts[asker] = (attempts[asker, default: []] + [attempt]).suffix(Self.most)
  }

  /// Clears an app's attempts; those of other apps stay.
  /// - Returns: whether there were any.
  mutating func forgive(_ kind: Kind, _ library: LibraryName, _ app: AppRecord) -> Bool {
    let asker = Asker(library: library, uid: app.uid, kind: kind)
    let before = attempts[asker] ?? []
    let after = before.filter { $0.claimed != app.manifest.identifier }
    attempts[asker] = after.isEmpty ? nil : after
    return after.count < before.count
  }

  mutating func forget(_ library: LibraryName) { attempts = attempts.filter { $0.key.library != library } }

  /// The end of the pause; nil: no pause.
  func pause(_ kind: Kind, _ library: LibraryName, _ app: AppRecord, now: Timestamp) -> Timestamp? {
    let all = attempts[Asker(library: library, uid: app.uid, kind: kind)]?.filter { $0.counts(at: now) } ?? []
    let own = all.filter { $0.claimed == app.manifest.identifier }
    let limits = kind.limits
    return [Self.end(after: all, limits.user, limits.pause), Self.end(after: own, limits.app, limits.pause)]
      .compactMap { $0 }.filter { $0 > now }.max()
  }

  /// Each attempt above the limit doubles the pause. Attempts within a cool-down before the last
  /// one count.
  private static func end(after attempts: [Attempt], _ limit: Int, _ first: Duration) -> Timestamp? {
    guard let last = attempts.map(\.time).max() else { return nil }
    let count = attempts.count { $0.time.advanced(by: BrokerLimits.coolDown) > last }
    guard count >= limit else { return nil }
    var pause = first
    for _ in limit..<count where pause < BrokerLimits.coolDown { pause = pause * 2 }
    return last.advanced(by: min(pause, BrokerLimits.coolDown))
  }

  // MARK: Across a restart of the broker

  /// A library's attempts for a setting, one line each: kind, user, microseconds, the manifest's
  /// identifier.
  func text(of library: LibraryName, now: Timestamp) -> String {
    attempts.filter { $0.key.library == library }.flatMap { asker, attempts in
      attempts.filter { $0.counts(at: now) }.map {
        "\(asker.kind.rawValue) \(asker.uid) \($0.time.microseconds) \($0.claimed)"
      }
    }.joined(separator: "\n")
  }

  mutating func restore(_ text: String, of library: LibraryName) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, let kind = Kind(rawValue: String(words[0])), let uid = UInt32(words[1]),
        let time = Int64(words[2])
      else { continue }
      note(
        Attempt(claimed: String(words[3]), time: Timestamp(microseconds: time)),
        of: Asker(library: library, uid: uid, kind: kind))
    }
  }
}
