import Broker
import Catalogue
import EventLoop
import PhotoModel

/// What would hold up the loop is worked out on threads.
extension LibraryRuntime {
  /// Has an order sorted that queries ask for, on a worker; until it is there they look at everything that matches.
  func prepareOrder(by key: SortKey) {
    guard key != .creationDate, library.catalogue.count > Self.unsortedLimit, !library.catalogue.isPrepared(key),
      sorting.insert(key).inserted
    else { return }
    let snapshot = Box(library.takeSnapshot())
    work(readers) {
      Box(snapshot.value.order(by: key))
    } then: { [self] order in
      sorting.remove(key)
      library.adopt(order.value)
    }
  }

  /// Works something out of the catalogue: here where that looks at few assets, else on a worker
  /// from a copy, so that no query holds up the loop. What comes of it is as old as the call: ask
  /// again whether it may still be told.
  /// - Parameter effort: How many assets it may look at one by one.
  func lookUp<R: Sendable>(
    effort: Int, _ body: @escaping @Sendable (Catalogue) -> R, then: @escaping (Result<R, BrokerError>) -> Void
  ) {
    let catalogue = library.catalogue
    if effort <= Self.unsortedLimit { return then(.success(body(catalogue))) }
    let then = answered(then)
    do {
      guard let queries else { throw EventLoopError.notRunning("The library's worker") }
      try queries.run({ body(catalogue) }, on: core.loop) { then(.success($0)) }
    } catch {
      then(
        .failure(
          .photos(
            .limitExceeded, "Too many questions about this library wait for their answers; ask again in a moment.")))
    }
  }
}
