import Broker
import Catalogue
import EventLoop
import PhotoModel

/// Queries of one library that visit too many assets for the loop.
final class QueryService: LibraryService {
  /// Assets that a query may visit one by one on the loop, which takes half a millisecond.
  static let unsortedLimit = 10_000

  let context: LibraryContext
  private var sorting: Set<SortKey> = []

  init(_ context: LibraryContext) { self.context = context }

  /// Sorts an order on a worker. Until it is ready, queries by this key visit all matching assets.
  func prepareOrder(by key: SortKey) {
    guard key != .creationDate, library.catalogue.count > Self.unsortedLimit, !library.catalogue.isPrepared(key),
      sorting.insert(key).inserted
    else { return }
    let snapshot = LoopConfined(library.assets.takeSnapshot())
    workers.run(.read) {
      LoopConfined(snapshot.value.order(by: key))
    } then: { [self] order in
      sorting.remove(key)
      library.assets.adopt(order.value)
    }
  }

  /// Runs a query here if it visits few assets, else on a worker with a copy, so that it does not
  /// block the loop. The result is as old as the call, so check the permit again.
  /// - Parameter effort: Number of assets that it may visit one by one.
  func lookUp<R: Sendable>(effort: Int, _ body: @escaping @Sendable (Catalogue) -> R, then: @escaping Completion<R>) {
    let catalogue = library.catalogue
    if effort <= Self.unsortedLimit { return then(.success(body(catalogue))) }
    let then = workers.answered(then)
    do {
      guard let worker = workers.worker(.query) else { throw EventLoopError.notRunning("The library's worker") }
      try worker.run({ body(catalogue) }, on: workers.loop) { then(.success($0)) }
    } catch {
      then(
        .failure(
          .photos(
            .limitExceeded, "Too many queries of this library are waiting; ask again in a moment.")))
    }
  }
}
