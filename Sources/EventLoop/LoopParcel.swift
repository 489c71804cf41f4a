/// A closure of the loop on its way through another thread, which can hold it and not call it.
///
/// Unchecked because of that: made on the loop, taken on the loop. The worker's reference may be
/// the last to go, so `take` empties it first: what the closure holds is released on the loop.
final class LoopParcel<Input>: @unchecked Sendable {
  private var closure: ((Input) -> Void)?

  init(_ closure: @escaping (Input) -> Void) { self.closure = closure }

  /// The closure, once. On the loop only.
  func take() -> ((Input) -> Void)? {
    let taken = closure
    closure = nil
    return taken
  }
}
