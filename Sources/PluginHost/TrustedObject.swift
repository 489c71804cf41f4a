import Limits
package import PluginKit
import Synchronization

/// A shared object that was loaded into the daemon, because an administrator trusts it. It stays loaded.
package final class TrustedObject: @unchecked Sendable {
  // Unchecked: registered into once, while it is made, and only read after that.
  let registry: PluginRegistry
  private let late = Mutex(0)
  private let tell: @Sendable (_ what: String) -> Void

  /// - Parameter tell: Is told, from any thread and in words for the operator, of calls that do not
  ///   come back, and that they have.
  /// - Throws: as ``PluginObject/load(_:into:)``.
  package init(loading path: String, tell: @escaping @Sendable (_ what: String) -> Void = { _ in })
    throws(PluginFailure)
  {
    registry = try PluginObject.load(path)
    self.tell = tell
  }

  /// What is registered there is linked into this program.
  package init(_ registry: sending PluginRegistry, tell: @escaping @Sendable (_ what: String) -> Void = { _ in }) {
    self.registry = registry
    self.tell = tell
  }

  /// Plugins walk folders, and may do so recursively.
  package static let stackBytes = 4 << 20

  /// What an operator can do about a call that does not come back.
  package static let advice =
    "It runs inside of the daemon, which cannot end it: start photobrokerd again, without --trust for this plugin."

  /// Whether one more thread may be started for it: nothing can end those that do not come back.
  var mayStart: Bool { late.withLock { $0 < PluginLimits.lateThreads } }

  /// Threads whose calls have not come back.
  package var lateThreads: Int { late.withLock { $0 } }

  /// A call of an object of it, of this name, has not come back in time.
  func isLate(_ name: String) {
    let count = late.withLock { count in
      count += 1
      return count
    }
    tell("\(name): A call has not come back in time, and keeps its thread (\(count) by now). \(Self.advice)")
  }

  /// The same call has come back after all.
  func cameBack(_ name: String) {
    let count = late.withLock { count in
      count -= 1
      return count
    }
    tell("\(name): A late call has come back; \(count) have not.")
  }
}
