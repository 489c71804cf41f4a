/// Waits for several answers, in whatever order they come, and hands them on together; the first failure wins.
final class Gathering<Value> {
  private var missing: Int
  private var values: [Value] = []
  private var failure: BrokerError?
  private let completion: (Result<[Value], BrokerError>) -> Void

  /// Completes at once where there is nothing to wait for.
  init(count: Int, completion: @escaping (Result<[Value], BrokerError>) -> Void) {
    missing = count
    self.completion = completion
    if count == 0 { completion(.success([])) }
  }

  func take(_ result: Result<Value, BrokerError>) {
    switch result {
    case .success(let value): values.append(value)
    case .failure(let error): failure = failure ?? error
    }
    missing -= 1
    if missing == 0 { completion(failure.map { .failure($0) } ?? .success(values)) }
  }
}
