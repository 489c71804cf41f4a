import Broker
import PhotoModel

enum AlbumSubject {
  case everything
  /// New albums, or albums with another title or sharing. Earlier answers about others still hold.
  case albums(Set<AlbumIdentifier>)

  func joined(_ other: Self?) -> Self {
    switch (self, other) {
    case (.everything, _), (_, .everything?): .everything
    case (.albums(let some), .albums(let more)?): .albums(more.union(some))
    case (.albums, nil): self
    }
  }

  func concerns(_ access: AlbumAccess) -> Bool {
    switch self {
    case .everything: true
    case .albums(let albums): albums.contains(where: access.shows)
    }
  }
}

/// Questions to one grant's policy. One is running at most; further ones are merged into one after
/// it.
struct Asking {
  private struct Question {
    var subject: AlbumSubject
    /// Whether the answer can change albums that the app already sees.
    var isOfVisible: Bool
    /// Whether somebody waits for it, so that it skips the queue.
    var isAwaited = false
    var waiting: [() -> Void] = []
  }

  private var current: Question?
  private var next: Question?
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

  /// Notes a question that is asked in its turn.
  /// - Returns: Whether it has to be queued.
  mutating func wantInTurn(_ subject: AlbumSubject, isOfVisible: Bool) -> Bool {
    want(subject, isOfVisible: isOfVisible)
    defer { hasTurn = true }
    return !hasTurn
  }

  /// Waits for the answer to all questions so far.
  /// - Returns: Whether there is any.
  mutating func wait(inTurn: Bool = false, _ body: @escaping () -> Void) -> Bool {
    if next != nil {
      next?.waiting.append(body)
      if !inTurn { next?.isAwaited = true }
    } else {
      current?.waiting.append(body)
    }
    return !isOver
  }

  /// Begins the next question; nil while one is running.
  mutating func begin() -> AlbumSubject? {
    guard current == nil, let question = next else { return nil }
    (current, next) = (question, nil)
    return question.subject
  }

  /// Ends all waits; the questions stay.
  /// - Returns: The waiting closures.
  mutating func release() -> [() -> Void] {
    defer {
      current?.waiting = []
      next?.waiting = []
    }
    return everyWaiting
  }

  /// Ends the running question, and returns its waiting closures.
  mutating func end() -> [() -> Void] {
    defer { current = nil }
    return current?.waiting ?? []
  }
}
