import Catalogue

final class WaitingPaths {
  private var left: Int
  private var paths: [AssetNumber: String] = [:]
  private let body: ([AssetNumber: String]) -> Void

  /// - Parameter body: Called once; immediately if there are no assets.
  init(_ count: Int, _ body: @escaping ([AssetNumber: String]) -> Void) {
    left = count
    self.body = body
    if count == 0 { body([:]) }
  }

  func take(_ asset: AssetNumber, _ path: String?) {
    paths[asset] = path
    left -= 1
    if left == 0 { body(paths) }
  }
}
