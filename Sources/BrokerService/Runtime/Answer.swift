import Monitor

/// A boolean that a worker waits for.
final class Answer: Sendable {
  private let value = Monitor<Bool?>(nil)

  func give(_ answer: Bool) { value.change { $0 = $0 ?? answer } }

  func wait() -> Bool { value.wait(until: .never) { $0 } ?? false }
}
