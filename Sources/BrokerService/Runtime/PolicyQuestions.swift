import Broker
import PhotoModel

/// What an album policy is asked about.
enum AlbumSubject {
  case everything
  /// Albums that came, have another title, or are shared now or no longer. What was said of all others still holds.
  case albums(Set<AlbumIdentifier>)

  func joined(_ other: Self?) -> Self {
    switch (self, other) {
    case (.everything, _), (_, .everything?): .everything
    case (.albums(let some), .albums(let more)?): .albums(more.union(some))
    case (.albums, nil): self
    }
  }

  /// Whether it is about what a grant shows.
  func concerns(_ access: AlbumAccess) -> Bool {
    switch self {
    case .everything: true
    case .albums(let albums): albums.contains(where: access.shows)
    }
  }
}

/// Questions to one grant's policy: one is under way at most, and what is wanted meanwhile becomes
/// one question after it.
struct Asking {
  private struct Question {
    var subject: AlbumSubject
    /// Whether the answer can change what the app sees already.
    var isOfVisible: Bool
    /// Whether it is to be asked as soon as can be; otherwise in its turn.
    var isAwaited = false
    var waiting: [() -> Void] = []
  }

  private var current: Question?
  private var next: Question?
  /// Whether its turn is to come.
  var hasTurn = false

  var isOver: Bool { current == nil && next == nil }
  var isOfVisible: Bool { (current?.isOfVisible ?? false) || (next?.isOfVisible ?? false) }
  var everyWaiting: [() -> Void] { (current?.waiting ?? []) + (next?.waiting ?? []) }
  var isAwaited: Bool { next?.isAwaited ?? false }
  var isUnderWay: Bool { current != nil }

  mutating func want(_ subject: AlbumSubject, isOfVisible: Bool) {
    next = Question(
      subject: subject.joined(next?.subject), isOfVisible: isOfVisible || next?.isOfVisible ?? false,
      isAwaited: next?.isAwaited ?? false,
      waiting: next?.waiting ?? [])
  }

  /// The same, in its turn.
  /// - Returns: whether it has to be given one.
  mutating func wantInTurn(_ subject: AlbumSubject, isOfVisible: Bool) -> Bool {
    want(subject, isOfVisible: isOfVisible)
    defer { hasTurn = true }
    return !hasTurn
  }

  /// Has something wait for the answer to all that is wanted by now.
  /// - Returns: whether there is anything to wait for.
  mutating func wait(inTurn: Bool = false, _ body: @escaping () -> Void) -> Bool {
    if next != nil {
      next?.waiting.append(body)
      if !inTurn { next?.isAwaited = true }
    } else {
      current?.waiting.append(body)
    }
    return !isOver
  }

  /// What is to be asked now; nil while something is under way.
  mutating func begin() -> AlbumSubject? {
    guard current == nil, let question = next else { return nil }
    (current, next) = (question, nil)
    return question.subject
  }

  /// Nobody waits any longer; what is wanted is asked nevertheless.
  /// - Returns: who waited.
  mutating func release() -> [() -> Void] {
    defer {
      current?.waiting = []
      next?.waiting = []
    }
    return everyWaiting
  }

  /// What is under way was answered. Answers who waited for that.
  mutating func end() -> [() -> Void] {
    defer { current = nil }
    return current?.waiting ?? []
  }
}
