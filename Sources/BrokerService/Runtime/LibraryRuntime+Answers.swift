import Broker
import EventLoop

/// The completion of a waiting call. Used on the loop, except that it can be freed anywhere.
class PendingAnswer {
  fileprivate func refuse() {}
}

/// Runs once, even if everything that could run it was freed.
private final class OneAnswer<T>: PendingAnswer {
  private let loop: EventLoop
  private var completion: ((Result<T, BrokerError>) -> Void)?

  init(_ loop: EventLoop, _ completion: @escaping (Result<T, BrokerError>) -> Void) {
    self.loop = loop
    self.completion = completion
  }

  // The last reference may be on the store's thread.
  deinit {
    guard let completion else { return }
    let carried = Box(completion)
    loop.perform { carried.value(.failure(.libraryReplaced)) }
  }

  func give(_ result: Result<T, BrokerError>) {
    guard let completion else { return }
    // The closure's captures are freed here, on the loop.
    self.completion = nil
    completion(result)
  }

  override fileprivate func refuse() { give(.failure(.libraryReplaced)) }
}

/// A weak reference to an answer, which keeps neither it nor its connection.
struct AwaitedAnswer {
  fileprivate weak var answer: PendingAnswer?
}

/// Calls that wait for a library get an answer even if it is removed.
extension LibraryRuntime {
  /// A completion that runs once: with its result, or with an error if the library is removed or
  /// set up anew before.
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

  /// Refuses all waiting calls, in another turn of the loop: a caller may call again, and then
  /// finds the library's new state.
  func answerAll() {
    let answers = unanswered.sorted { $0.key < $1.key }.compactMap(\.value.answer)
    if !answers.isEmpty { core.later { for answer in answers { answer.refuse() } } }
  }
}
