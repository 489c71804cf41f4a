import Limits
package import PluginKit
import Synchronization

/// A shared object in the daemon, trusted by an administrator. It stays loaded.
package final class TrustedObject: @unchecked Sendable {
  // Unchecked: written once during initialization, and only read afterwards.
  let registry: PluginRegistry
  private let late = Mutex(0)
  private let tell: @Sendable (_ what: String) -> Void

  /// - Parameter tell: receives messages for the operator about late calls and their return, on any
  ///   thread.
  /// - Throws: the errors of ``PluginObject/load(_:into:)``.
  package init(loading path: String, tell: @escaping @Sendable (_ what: String) -> Void = { _ in })
    throws(PluginFailure)
  {
    registry = try PluginObject.load(path)
    self.tell = tell
  }

  /// Creates an object for plugins that are linked into this program.
  package init(_ registry: sending PluginRegistry, tell: @escaping @Sendable (_ what: String) -> Void = { _ in }) {
    self.registry = registry
    self.tell = tell
  }

  /// Plugins may walk folders recursively.
  package static let stackBytes = 4 << 20

  /// The operator's remedy for a call that does not return.
  package static let advice =
    "It runs inside the daemon, which cannot end it. Restart photobrokerd without --trust for this plugin."

  /// Whether another thread may be started. Threads that do not return cannot be ended.
  var mayStart: Bool { late.withLock { $0 < PluginLimits.lateThreads } }

  func isLate(_ name: String) {
    let count = late.withLock { count in
      count += 1
      return count
    }
    tell("\(name): A call timed out and still holds its thread (\(count) in all). \(Self.advice)")
  }

  func cameBack(_ name: String) {
    let count = late.withLock { count in
      count -= 1
      return count
    }
    tell("\(name): A late call has returned; \(count) have not.")
  }
}
