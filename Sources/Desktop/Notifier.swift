#if canImport(CDesktop)
  internal import CDesktop
  import Glibc
#endif
import Synchronization

/// A prompt or picker as the desktop shows it.
package struct Notice: Sendable, Hashable {
  /// Unique for each prompt or picker.
  package let key: String
  package let title: String
  package let text: String

  package init(key: String, title: String, text: String) { (self.key, self.title, self.text) = (key, title, text) }
}

#if canImport(CDesktop)
  /// Shows prompts and pickers with the desktop's notification service for as long as they wait.
  ///
  /// Source: https://specifications.freedesktop.org/notification-spec/latest/
  package final class Notifier: Sendable {
    fileprivate enum Event {
      case answered(UInt64, Result<UInt32, DesktopError>)
      case pressed(UInt32)
      case closed(UInt32)
    }

    fileprivate final class Incoming { var events: [Event] = [] }

    fileprivate struct State {
      let desktop: OpaquePointer
      let incoming: Incoming
      /// Keys of the waiting notices by source; each source reports all of its own at once.
      var waiting: [String: Set<String>] = [:]
      /// Numbers of the notifications on the screen, by key.
      var shown: [String: UInt32] = [:]
      /// Keys of the notifications that the service has not answered yet, by the call's cookie.
      var asked: [UInt64: String] = [:]
      /// Whether a notification was shown before, so that the service works.
      var hasShown = false
    }

    private let state: Mutex<State>
    private let descriptor: Int32
    private let button: String

    /// - Parameters:
    ///   - button: The text of the button that ``run(pressed:)`` reports.
    ///   - subject: The source of the notices. A session has one notifier for each.
    /// - Throws: `noBus`, `alreadyRuns`.
    package init(button: String, of subject: String) throws(DesktopError) {
      self.button = button
      let incoming = Incoming()
      let handlers = CDesktopHandlers(
        context: Unmanaged.passUnretained(incoming).toOpaque(),
        answered: { context, cookie, number, error in
          let answer: Result<UInt32, DesktopError> =
            error.map { .failure(.refused(String(cString: $0))) } ?? .success(number)
          Notifier.incoming(context)?.events.append(.answered(cookie, answer))
        },
        pressed: { context, number in Notifier.incoming(context)?.events.append(.pressed(number)) },
        closed: { context, number in Notifier.incoming(context)?.events.append(.closed(number)) })
      var opened: OpaquePointer?
      let result = cdesktop_open(Self.busName(subject), handlers, &opened)
      guard let opened else { throw result == -EEXIST ? .alreadyRuns : .noBus(errno: -result) }
      descriptor = cdesktop_descriptor(opened)
      state = Mutex(State(desktop: opened, incoming: incoming))
    }

    /// A name on the bus for a subject. Other bytes than letters and digits are written in hexadecimal.
    static func busName(_ subject: String) -> String {
      "io.photobroker.Notify.s"
        + subject.utf8.map { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            String(UnicodeScalar(byte))
          default: "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
          }
        }.joined()
    }

    deinit { state.withLock { cdesktop_end($0.desktop) } }

    private static func incoming(_ context: UnsafeMutableRawPointer?) -> Incoming? {
      context.map { Unmanaged<Incoming>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Shows the notices of `source` that are new, and closes those that it does not name any more.
    ///
    /// - Returns: The new ones.
    @discardableResult
    package func update(_ source: String, _ notices: [Notice]) -> [Notice] {
      state.withLock { state in
        let before = state.waiting[source] ?? []
        state.waiting[source] = Set(notices.map(\.key))
        for key in before.subtracting(notices.map(\.key)) {
          if let number = state.shown.removeValue(forKey: key) { _ = cdesktop_close(state.desktop, number) }
        }
        let fresh = notices.filter { !before.contains($0.key) }
        for notice in fresh {
          var cookie: UInt64 = 0
          // A lost bus ends `run`.
          if cdesktop_notify(state.desktop, notice.title, Self.escaped(notice.text), button, &cookie) >= 0 {
            state.asked[cookie] = notice.key
          }
        }
        return fresh
      }
    }

    /// Handles the desktop's messages until the bus disconnects. A notification that a working
    /// service refuses, for instance because too many are shown, is retried at the source's next
    /// update.
    ///
    /// - Parameter pressed: Called when the user presses a notification's button.
    /// - Throws: `lost`; `refused` if the service never showed a notification.
    package func run(pressed: () -> Void) throws(DesktopError) {
      while true {
        let (isConnected, isPressed, refusal) = state.withLock { $0.handleMessages() }
        if let refusal { throw refusal }
        if isPressed { pressed() }
        guard isConnected else { throw .lost }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
      }
    }

    /// Escapes markup, which the service would interpret in an app's name.
    static func escaped(_ text: String) -> String {
      var escaped = ""
      for character in text.unicodeScalars {
        switch character {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        default: escaped.unicodeScalars.append(character)
        }
      }
      return escaped
    }
  }

  extension Notifier.State {
    fileprivate mutating func handleMessages() -> (isConnected: Bool, isPressed: Bool, refusal: DesktopError?) {
      let isConnected = cdesktop_process(desktop) >= 0
      var isPressed = false, refusal: DesktopError?
      for event in incoming.events {
        switch event {
        case .answered(let cookie, .success(let number)):
          guard let key = asked.removeValue(forKey: cookie) else { continue }
          hasShown = true
          // The notice may have been answered while the desktop was slow.
          if waiting.values.contains(where: { $0.contains(key) }) {
            shown[key] = number
          } else {
            _ = cdesktop_close(desktop, number)
          }
        case .answered(let cookie, .failure(let error)):
          guard let key = asked.removeValue(forKey: cookie) else { continue }
          for source in waiting.keys { waiting[source]?.remove(key) }
          if !hasShown { refusal = error }
        case .pressed(let number): isPressed = isPressed || shown.values.contains(number)
        case .closed(let number): shown = shown.filter { $0.value != number }
        }
      }
      incoming.events = []
      return (isConnected, isPressed, refusal)
    }
  }
#else
  /// Replaces the notifier in builds without libsystemd-dev.
  package final class Notifier: Sendable {
    package init(button: String, of subject: String) throws(DesktopError) { throw .notBuilt }
    package func update(_ source: String, _ notices: [Notice]) -> [Notice] { [] }
    package func run(pressed: () -> Void) throws(DesktopError) { throw .notBuilt }
  }
#endif
