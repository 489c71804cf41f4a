import Broker
import EventLoop

/// An answer that somebody waits for. On the loop only, but for its end.
class PendingAnswer {
  fileprivate func refuse() {}
}

/// It is given once: also where all that would give it is gone.
private final class OneAnswer<T>: PendingAnswer {
  private let loop: EventLoop
  private var completion: ((Result<T, BrokerError>) -> Void)?

  init(_ loop: EventLoop, _ completion: @escaping (Result<T, BrokerError>) -> Void) {
    self.loop = loop
    self.completion = completion
  }

  // The last reference may be the store's thread's.
  deinit {
    guard let completion else { return }
    let carried = Box(completion)
    loop.perform { carried.value(.failure(.libraryReplaced)) }
  }

  func give(_ result: Result<T, BrokerError>) {
    guard let completion else { return }
    // What it holds is let go of here, on the loop.
    self.completion = nil
    completion(result)
  }

  override fileprivate func refuse() { give(.failure(.libraryReplaced)) }
}

/// Refers to an answer without keeping it, nor the connection that waits for it.
struct AwaitedAnswer {
  fileprivate weak var answer: PendingAnswer?
}

/// Calls that wait for a library are answered, whatever becomes of it.
extension LibraryRuntime {
  /// A completion that runs once: with what comes, or, where the library is set up anew or removed
  /// before that, with why nothing will.
  func answered<T>(_ completion: @escaping (Result<T, BrokerError>) -> Void) -> (Result<T, BrokerError>) -> Void {
    guard !isStopped else {
      core.later { completion(.failure(.libraryReplaced)) }
      return { _ in }
    }
    unansweredCount &+= 1
    let number = unansweredCount
    let answer = OneAnswer<T>(core.loop) { [weak self] result in
      self?.unanswered[number] = nil
      completion(result)
    }
    unanswered[number] = AwaitedAnswer(answer: answer)
    return { answer.give($0) }
  }

  /// Answers everybody who waits. In another turn: who is answered may call again, and finds the library as it is then.
  func answerAll() {
    let answers = unanswered.sorted { $0.key < $1.key }.compactMap(\.value.answer)
    if !answers.isEmpty { core.later { for answer in answers { answer.refuse() } } }
  }
}
