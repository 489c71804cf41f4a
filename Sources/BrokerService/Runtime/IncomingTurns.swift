import Delivery
import Limits

/// What one app hands over to one library, a few things at a time and in order: whoever sends
/// slowly keeps nobody but itself waiting. On the loop only.
final class IncomingTurns {
  /// Something that is handed over. What it holds is let go of with it.
  final class Turn {
    fileprivate let begin: (IncomingTurns, _ done: @escaping () -> Void) -> Void

    /// - Parameter begin: called once it is its turn, with what is to be called when it is over.
    init(_ begin: @escaping (IncomingTurns, _ done: @escaping () -> Void) -> Void) { self.begin = begin }
  }

  /// How many are taken at a time.
  private static let limit = 2
  /// What is read in vain and given up may stay with the kernel for ever, where the app makes it so.
  let files = IncomingFiles(limitBytes: ServiceLimits.addedAssetBytes, timeLimit: .seconds(60), pendingLimit: 2 * limit)
  private var running = 0
  private var waiting: [Turn] = []

  /// Nothing is under way, nor stuck.
  var isIdle: Bool { running == 0 && waiting.isEmpty && files.pendingCount == 0 }

  /// Begins it, now or when those before are over.
  /// - Returns: whether it began.
  func take(_ turn: Turn) -> Bool {
    waiting.append(turn)
    beginNext()
    return !waiting.contains { $0 === turn }
  }

  /// Forgets one that has not begun.
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
