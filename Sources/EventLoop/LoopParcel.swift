/// A closure of the loop that passes through another thread, which can hold it but not call it.
///
/// Unchecked Sendable for this reason: it is created and taken on the loop. `take` empties it
/// first, so that the closure's captures are released on the loop even if the worker holds the last
/// reference.
final class LoopParcel<Input>: @unchecked Sendable {
  private var closure: ((Input) -> Void)?

  init(_ closure: @escaping (Input) -> Void) { self.closure = closure }

  /// Takes the closure, once. On the loop only.
  func take() -> ((Input) -> Void)? {
    let taken = closure
    closure = nil
    return taken
  }
}
