import Broker
import EventLoop

/// An answer that somebody waits for. It goes with what would give it: nobody waits any more then. On the loop only.
final class PendingAnswer {
  private var isOver = false
  private let refusal: () -> Void
  private let didEnd: () -> Void

  fileprivate init(refusal: @escaping () -> Void, didEnd: @escaping () -> Void) {
    self.refusal = refusal
    self.didEnd = didEnd
  }

  deinit { didEnd() }

  /// False the second time.
  fileprivate func take() -> Bool {
    defer { isOver = true }
    return !isOver
  }

  fileprivate func refuse() { if take() { refusal() } }
}

/// Refers to an answer without keeping it, nor the connection that waits for it.
struct AwaitedAnswer {
  fileprivate weak var answer: PendingAnswer?
}

/// Calls that wait for a library are answered, whatever becomes of it.
extension LibraryRuntime {
  /// A completion that runs once: with what comes, or, where the library is set up anew or removed before that, with why nothing will.
  func answered<T>(_ completion: @escaping (Result<T, BrokerError>) -> Void) -> (Result<T, BrokerError>) -> Void {
    guard !isStopped else {
      core.later { completion(.failure(.libraryReplaced)) }
      return { _ in }
    }
    unansweredCount &+= 1
    let number = unansweredCount
    let answer = PendingAnswer {
      completion(.failure(.libraryReplaced))
    } didEnd: { [weak self] in
      self?.unanswered[number] = nil
    }
    unanswered[number] = AwaitedAnswer(answer: answer)
    return { if answer.take() { completion($0) } }
  }

  /// Answers everybody who waits. In another turn: who is answered may call again, and finds the library as it is then.
  func answerAll() {
    let answers = unanswered.sorted { $0.key < $1.key }.compactMap(\.value.answer)
    if !answers.isEmpty { core.later { for answer in answers { answer.refuse() } } }
  }
}
