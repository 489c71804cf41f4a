/// Receives the outcome of a step that may be refused.
package typealias Completion<Value> = (Result<Value, BrokerError>) -> Void

extension Result where Failure == BrokerError {
  /// Continues with the value; a failure completes.
  package func orFail<Answer>(_ completion: Completion<Answer>, _ body: (Success) -> Void) {
    switch self {
    case .failure(let error): completion(.failure(error))
    case .success(let value): body(value)
    }
  }
}

/// Takes steps of which each may be refused; a refusal completes.
func attempt<Answer>(_ completion: Completion<Answer>, _ steps: () throws(BrokerError) -> Void) {
  do { try steps() } catch { completion(.failure(error)) }
}
