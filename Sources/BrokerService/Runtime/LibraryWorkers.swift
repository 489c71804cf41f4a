import Broker
import CLinux
import EventLoop
import PluginHost

/// One library's threads for blocking work, and the calls that wait for their results.
final class LibraryWorkers {
  enum Kind: String {
    /// Opens, copies and decodes for apps.
    case read
    /// Runs queries that visit many assets.
    case query
    /// Scans, and reads new files' facts.
    case index
    /// Copies large files and fetches remote ones.
    case carry
    /// Reads descriptors that apps sent.
    case receive
    /// Asks album policies. A policy that hangs delays no reads.
    case decide
    /// Makes previews of videos.
    case show
    /// Reads remote files for their digests.
    case digest

    var threads: Int {
      switch self {
      case .read, .decide: 4
      case .carry: IsolatedStorage.appTransfers
      case .receive: 8
      case .query, .index, .show, .digest: 1
      }
    }

    fileprivate var turns: LoopThread.Turns {
      switch self {
      // New files can take hours, so calls come first.
      case .index: .standingBack(5)
      case .digest: .patient
      default: .long
      }
    }
  }

  let library: LibraryName
  let loop: EventLoop
  let log: Log
  private(set) var isStopped = false
  private var workers: [Kind: Worker] = [:]
  private var unanswered: [UInt64: AwaitedAnswer] = [:]
  private var unansweredCount: UInt64 = 0

  init(of library: LibraryName, on loop: EventLoop, log: Log) {
    self.library = library
    self.loop = loop
    self.log = log
    for kind in [Kind.read, .query, .index] { _ = worker(kind) }
  }

  /// The threads of a kind, which start with their first use. Nil: none can start now.
  func worker(_ kind: Kind) -> Worker? {
    guard !isStopped else { return nil }
    if let worker = workers[kind] { return worker }
    let worker = try? Worker(name: kind.rawValue, threads: kind.threads, turns: kind.turns)
    workers[kind] = worker
    return worker
  }

  /// Runs blocking work on a worker, and `then` on the loop.
  func run<R: Sendable>(_ kind: Kind, _ body: @escaping @Sendable () -> R, then: @escaping (R) -> Void) {
    do throws(EventLoopError) {
      // If no thread can start now, the readers do it. A turn that never ended would block one
      // place for ever.
      guard let worker = worker(kind) ?? worker(.read) else { throw .notRunning("The library's worker") }
      try worker.run(body, on: loop, completion: then)
    } catch {
      guard !isStopped else { return }
      // A waiting call must be answered, even if late. The number of waiters is bounded by the
      // calls of a connection.
      if error.code == .queueFull {
        loop.schedule(after: .milliseconds(50)) { [weak self] in self?.run(kind, body, then: then) }
        return
      }
      log.error("a library's worker takes no more work", ["library": "\(library)", "reason": "\(error)"])
    }
  }

  /// Runs work that may fail, as ``run(_:_:then:)`` does.
  func attempt<R: Sendable, Failure: Error>(
    _ kind: Kind, _ body: @escaping @Sendable () throws(Failure) -> R, then: @escaping (Result<R, Failure>) -> Void
  ) {
    run(kind, { Result(catching: body) }, then: then)
  }

  /// Returns memory that the load of a large library needed, after its data was freed.
  func returnMemory() {
    loop.schedule(after: .milliseconds(300)) { [weak self] in
      self?.run(.read) {
        clinux_return_memory()
      } then: { _ in
      }
    }
  }

  func later(_ action: @escaping () -> Void) { loop.schedule(after: .zero, action) }

  /// A completion that runs once: with its result, or with an error if the library is removed or
  /// set up anew before.
  func answered<T>(_ completion: @escaping Completion<T>) -> Completion<T> {
    guard !isStopped else {
      later { completion(.failure(.libraryReplaced)) }
      return { _ in }
    }
    unansweredCount &+= 1
    let number = unansweredCount
    let answer = OneAnswer<T>(loop) { [weak self] result in
      self?.unanswered[number] = nil
      completion(result)
    }
    unanswered[number] = AwaitedAnswer(answer: answer)
    return { answer.give($0) }
  }

  /// Ends the threads after their current work, and refuses all waiting calls, in another turn of
  /// the loop: a caller may call again, and then finds the library's new state.
  func stop() {
    isStopped = true
    for worker in workers.values { worker.stop() }
    let answers = unanswered.sorted { $0.key < $1.key }.compactMap(\.value.answer)
    if !answers.isEmpty { later { for answer in answers { answer.refuse() } } }
  }
}

/// The completion of a waiting call. Used on the loop, except that it can be freed anywhere.
private class PendingAnswer {
  func refuse() {}
}

/// Runs once, even if everything that could run it was freed.
private final class OneAnswer<T>: PendingAnswer {
  private let loop: EventLoop
  private var completion: (Completion<T>)?

  init(_ loop: EventLoop, _ completion: @escaping Completion<T>) {
    self.loop = loop
    self.completion = completion
  }

  // The last reference may be on the store's thread.
  deinit {
    guard let completion else { return }
    let carried = LoopConfined(completion)
    loop.perform { carried.value(.failure(.libraryReplaced)) }
  }

  func give(_ result: Result<T, BrokerError>) {
    guard let completion else { return }
    // The closure's captures are freed here, on the loop.
    self.completion = nil
    completion(result)
  }

  override func refuse() { give(.failure(.libraryReplaced)) }
}

/// A weak reference to an answer, which keeps neither it nor its connection.
private struct AwaitedAnswer {
  weak var answer: PendingAnswer?
}
