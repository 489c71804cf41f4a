import Broker
import Catalogue

/// A running copy, piece or picture of an asset. Used on the loop.
final class RenditionJob {
  let app: AppIdentifier
  let asset: AssetNumber
  let transfer = Transfer()
  private(set) var isOver = false
  /// Removes the job from its queue; nil if it is in none.
  var leave: (() -> Void)?
  private let didEnd: (RenditionJob) -> Void

  init(_ app: AppIdentifier, _ asset: AssetNumber, _ didEnd: @escaping (RenditionJob) -> Void) {
    self.app = app
    self.asset = asset
    self.didEnd = didEnd
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    leave = nil
    didEnd(self)
  }

  func cancel() {
    transfer.cancel()
    let leave = leave
    self.leave = nil
    leave?()
  }
}
