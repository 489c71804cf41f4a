import Broker

/// The values that most services of one library work with.
struct LibraryContext {
  let library: LibraryState
  let broker: Broker
  let store: any Store
  let environment: any Environment
  let factory: ProcessFactory
  let shares: LibraryShares
  let workers: LibraryWorkers
  let status: LibraryStatus
}

/// A service of one library.
protocol LibraryService {
  var context: LibraryContext { get }
}

extension LibraryService {
  var library: LibraryState { context.library }
  var broker: Broker { context.broker }
  var store: any Store { context.store }
  var environment: any Environment { context.environment }
  var factory: ProcessFactory { context.factory }
  var shares: LibraryShares { context.shares }
  var workers: LibraryWorkers { context.workers }
  var status: LibraryStatus { context.status }
}
