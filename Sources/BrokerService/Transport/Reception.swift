import Broker
import EventLoop
import UnixSocket

/// Accepts connections on one socket, within the limits for one process, one user and all.
final class Reception {
  enum Door { case apps, administration }

  private let listener: Listener
  private let door: Door
  private unowned let core: ServiceCore
  private var source: SourceID?

  init(_ listener: Listener, door: Door, core: ServiceCore) {
    self.listener = listener
    self.door = door
    self.core = core
  }

  func open() throws(EventLoopError) {
    source = try core.loop.register(listener.number, for: .read) { [weak self] _ in self?.accept() }
  }

  func close() {
    if let source { core.loop.deregister(source) }
    source = nil
  }

  private func accept() {
    do {
      guard let socket = try listener.accept() else { return }
      core.admit(socket, through: door)
    } catch {
      guard !error.concernsOnePeer else { return }
      core.log.error("accepting connections pauses for a moment", ["reason": "\(error)"])
      pause()
    }
  }

  /// A listener that cannot accept would be ready for ever.
  private func pause() {
    guard let source else { return }
    try? core.loop.update(source, for: [])
    core.loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self, let source = self.source else { return }
      try? self.core.loop.update(source, for: .read)
    }
  }
}
