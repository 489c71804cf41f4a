import Glibc

/// A failure to reach the user's desktop; equal by code.
package struct DesktopError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// There is no session bus that accepts this user.
    case noBus
    /// Another notifier of the same kind runs in the session.
    case alreadyRuns
    /// The bus disconnected.
    case lost
    /// The notification service refused.
    case refused
    /// This build lacks libsystemd.
    case notBuilt
  }

  package let code: Code
  /// The cause and the remedy.
  package let message: String

  package var description: String { message }

  private init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  static func noBus(errno: Int32) -> Self {
    Self(
      .noBus,
      "There is no session bus to connect to (\(String(cString: strerror(errno)))), so no desktop to notify; start this "
        + "from the desktop, where DBUS_SESSION_BUS_ADDRESS is set.")
  }

  static let alreadyRuns = Self(.alreadyRuns, "Another program shows these notifications in this session.")

  static let lost = Self(.lost, "The session bus is gone; the desktop session has ended.")

  static func refused(_ error: String) -> Self {
    Self(.refused, "The desktop has no notification service that works (\(error)); is one running?")
  }

  static let notBuilt = Self(
    .notBuilt,
    "This photobroker was built without libsystemd-dev, which notifications need; install it and build again.")
}
