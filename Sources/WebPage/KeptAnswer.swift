/// A cached reply that seldom changes. It expires by age, and when a page changes something.
struct KeptAnswer {
  /// Identifies a request. A reply is not cached if something changed after its request, or if a
  /// later request's reply is cached already.
  struct Turn: Equatable {
    fileprivate var number = 0
    fileprivate var asked: ContinuousClock.Instant
  }

  private var text: [UInt8]?
  private var turn: Turn

  static let lifetime = Duration.seconds(3)

  init(now: ContinuousClock.Instant = .now) { turn = Turn(asked: now) }

  /// The cached reply; nil if it must be fetched and given to ``keep(_:of:)`` with this moment's
  /// turn.
  func answer(now: ContinuousClock.Instant) -> [UInt8]? { now - turn.asked < Self.lifetime ? text : nil }

  func turn(now: ContinuousClock.Instant) -> Turn { Turn(number: turn.number, asked: now) }

  mutating func keep(_ answer: [UInt8], of asked: Turn) {
    guard asked.number == turn.number, asked.asked >= turn.asked else { return }
    (text, turn) = (answer, asked)
  }

  /// Invalidates the reply and those under way.
  mutating func forget() {
    text = nil
    turn.number += 1
  }
}
