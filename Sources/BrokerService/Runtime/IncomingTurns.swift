import Delivery
import Limits

/// Uploads of one app to one library, a few at a time and in order, so that a slow sender delays
/// only itself. Used on the loop only.
final class IncomingTurns {
  final class Turn {
    fileprivate let begin: (IncomingTurns, _ done: @escaping () -> Void) -> Void

    /// - Parameter begin: Starts the upload, and gets a function to call when it is over.
    init(_ begin: @escaping (IncomingTurns, _ done: @escaping () -> Void) -> Void) { self.begin = begin }
  }

  /// Number of uploads at a time.
  private static let limit = 2
  /// A cancelled read can stay in the kernel for ever, if the app's file system blocks it.
  let files = IncomingFiles(limitBytes: ServiceLimits.addedAssetBytes, timeLimit: .seconds(60), pendingLimit: 2 * limit)
  private var running = 0
  private var waiting: [Turn] = []

  var isIdle: Bool { running == 0 && waiting.isEmpty && files.pendingCount == 0 }

  /// Begins an upload, now or after those before it.
  /// - Returns: Whether it began.
  func take(_ turn: Turn) -> Bool {
    waiting.append(turn)
    beginNext()
    return !waiting.contains { $0 === turn }
  }

  func drop(_ turn: Turn) { waiting.removeAll { $0 === turn } }

  private func beginNext() {
    while running < Self.limit, !waiting.isEmpty {
      let turn = waiting.removeFirst()
      running += 1
      turn.begin(self) { [self] in
        running -= 1
        beginNext()
      }
    }
  }
}
