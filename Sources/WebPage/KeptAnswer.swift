/// What the broker answered last to a question whose answer seldom changes. Asked again once it is
/// old, or a page changed something.
struct KeptAnswer {
  /// When an answer was asked for: one that was asked for before something changed, or before the
  /// one that is kept, is not kept.
  struct Turn: Equatable {
    fileprivate var number = 0
    fileprivate var asked: ContinuousClock.Instant
  }

  private var text: [UInt8]?
  private var turn: Turn

  /// How long an answer holds that nobody here changed.
  static let lifetime = Duration.seconds(3)

  init(now: ContinuousClock.Instant = .now) { turn = Turn(asked: now) }

  /// The answer; nil: it is to be asked for, and given to ``keep(_:of:)`` with the turn of this time.
  func answer(now: ContinuousClock.Instant) -> [UInt8]? { now - turn.asked < Self.lifetime ? text : nil }

  func turn(now: ContinuousClock.Instant) -> Turn { Turn(number: turn.number, asked: now) }

  mutating func keep(_ answer: [UInt8], of asked: Turn) {
    guard asked.number == turn.number, asked.asked >= turn.asked else { return }
    (text, turn) = (answer, asked)
  }

  /// Something may be another now: what was asked for until now is not kept.
  mutating func forget() {
    text = nil
    turn.number += 1
  }
}
