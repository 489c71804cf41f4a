import Foundation
import PictureFolder
import Synchronization

/// Waits for the child's end or a request to end, whichever comes first.
final class Signals: Sendable {
  private let wanted: sigset_t
  private let hasEnded = Mutex(false)

  /// Blocks the signals for this thread and those that it starts.
  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    wanted = set
  }

  /// Notes that the folder is not served any more.
  func noteEnd() {
    hasEnded.withLock { $0 = true }
    kill(getpid(), SIGTERM)
  }

  /// The next signal; nil after the timeout.
  func next(milliseconds: Int) -> Int32? {
    var set = wanted
    var time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    let number = sigtimedwait(&set, nil, &time)
    return number > 0 ? number : nil
  }

  /// Waits for a request to end.
  func wait() {
    while true {
      if let number = next(milliseconds: 60_000), number != SIGCHLD { return }
    }
  }

  /// Waits for the child and forwards requests to end.
  ///
  /// - Returns: Its exit status, or 128 plus the number of the signal that ended it.
  func wait(for child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, WNOHANG) != child {
      if let number = next(milliseconds: 1_000), number != SIGCHLD { kill(child, number) }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}

/// The first answer about access.
final class Decision: Sendable {
  private let hasAccess = Mutex<Bool?>(nil)

  func take(_ notice: PictureFolder.Notice) {
    switch notice {
    case .open: hasAccess.withLock { $0 = true }
    case .closed, .unreachable: hasAccess.withLock { $0 = $0 ?? false }
    case .waiting: break
    }
  }

  /// Waits for the answer. False if access was refused, the broker is unreachable, or this process
  /// is asked to end.
  func wait(_ signals: Signals) -> Bool {
    while true {
      if let known = hasAccess.withLock({ $0 }) { return known }
      if let number = signals.next(milliseconds: 50), number != SIGCHLD { return false }
    }
  }
}
