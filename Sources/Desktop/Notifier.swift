import Synchronization

/// Something that waits for a person, as the desktop shows it.
package struct Notice: Sendable, Hashable {
  /// Tells it from others.
  package let key: String
  package let title: String
  package let text: String

  package init(key: String, title: String, text: String) { (self.key, self.title, self.text) = (key, title, text) }
}

/// Shows what waits for a person by the desktop's notification service, for as long as it waits.
///
/// Source: https://specifications.freedesktop.org/notification-spec/latest/
package final class Notifier: Sendable {
  private struct State {
    /// What waits, by its source: each source tells all that it knows at once.
    var waiting: [String: Set<String>] = [:]
    /// Notifications on the screen, by what they are about.
    var shown: [String: UInt32] = [:]
    /// Calls whose answer names the notification.
    var asked: [UInt32: String] = [:]
    /// The desktop has shown something, so there is a service that works.
    var hasShown = false

    /// The desktop did not take a notification: it counts as new the next time its source tells what waits.
    mutating func forget(_ key: String) { for source in waiting.keys { waiting[source]?.remove(key) } }
  }

  private let bus: SessionBus
  private let state = Mutex(State())
  private let button: String

  private static let service = "org.freedesktop.Notifications", path = "/org/freedesktop/Notifications"

  /// - Parameter button: What is on the button that ``run(pressed:)`` tells of.
  /// - Throws: `noBus`, `refused`, `lost`.
  package init(path: String, button: String) throws(DesktopError) {
    self.button = button
    bus = try SessionBus(path: path)
    var rule = BusWriter()
    rule.text("type='signal',interface='\(Self.service)'")
    bus.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", signature: "s", rule)
  }

  /// What waits now, as one source knows it: what is new is shown, what does not wait any more goes away.
  ///
  /// - Returns: those that were new.
  @discardableResult
  package func update(_ source: String, _ notices: [Notice]) -> [Notice] {
    let fresh = state.withLock { state in
      let before = state.waiting[source] ?? []
      state.waiting[source] = Set(notices.map(\.key))
      for key in before.subtracting(notices.map(\.key)) {
        if let number = state.shown.removeValue(forKey: key) { close(number) }
      }
      let fresh = notices.filter { !before.contains($0.key) }
      for notice in fresh {
        if let serial = show(notice) { state.asked[serial] = notice.key }
      }
      return fresh
    }
    return fresh
  }

  /// Reads what the desktop says, until it is gone. A desktop that once showed something may refuse
  /// something else, for instance because too much is shown: that is tried again when something
  /// changes.
  ///
  /// - Parameter pressed: Called when somebody wants to decide.
  /// - Throws: `lost`, `badMessage`; `refused` where it never showed anything.
  package func run(pressed: () -> Void) throws(DesktopError) {
    while true {
      let message = try bus.next()
      switch (message.kind, message.member) {
      case (.reply, _): try shown(message)
      case (.error, _):
        let isHopeless = state.withLock { state in
          guard let key = state.asked.removeValue(forKey: message.answers) else { return false }
          state.forget(key)
          return !state.hasShown
        }
        if isHopeless {
          throw DesktopError(
            .refused, "The desktop has no notification service that works (\(message.errorName)); is one running?")
        }
      case (.signal, "ActionInvoked") where message.signature == "us":
        var body = message.bodyReader
        if isOurs(try body.number()) { pressed() }
      case (.signal, "NotificationClosed") where message.signature == "uu":
        var body = message.bodyReader
        let number = try body.number()
        state.withLock { state in
          for (key, shown) in state.shown where shown == number { state.shown[key] = nil }
        }
      default: break
      }
    }
  }

  private func shown(_ reply: BusMessage) throws(DesktopError) {
    guard reply.signature == "u" else { return }
    var body = reply.bodyReader
    let number = try body.number()
    state.withLock { state in
      guard let key = state.asked.removeValue(forKey: reply.answers) else { return }
      state.hasShown = true
      // It may have been answered while the desktop was slow.
      if state.waiting.values.contains(where: { $0.contains(key) }) { state.shown[key] = number } else { close(number) }
    }
  }

  private func isOurs(_ number: UInt32) -> Bool { state.withLock { $0.shown.values.contains(number) } }

  private func show(_ notice: Notice) -> UInt32? {
    var body = BusWriter()
    body.text("PhotoBroker")
    body.number(0)
    body.text("image-x-generic")
    body.text(notice.title)
    body.text(Self.escaped(notice.text))
    body.array(alignedTo: 4) { actions in
      for text in ["default", button, "decide", button] { actions.text(text) }
    }
    body.array(alignedTo: 8) { _ in }
    // It stays until it is answered.
    body.number(0)
    return bus.call(Self.service, Self.path, Self.service, "Notify", signature: "susssasa{sv}i", body)
  }

  private func close(_ number: UInt32) {
    var body = BusWriter()
    body.number(number)
    bus.call(Self.service, Self.path, Self.service, "CloseNotification", signature: "u", body)
  }

  /// The text may hold markup; what an app calls itself must not become some.
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
