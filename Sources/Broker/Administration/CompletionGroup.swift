/// Collects several results in any order and completes once with all of them, or with the first
/// error.
final class CompletionGroup<Value> {
  private var missing: Int
  private var values: [Value] = []
  private var failure: BrokerError?
  private let completion: Completion<[Value]>

  /// - Parameter count: the number of results. Zero completes at once.
  init(count: Int, completion: @escaping Completion<[Value]>) {
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
