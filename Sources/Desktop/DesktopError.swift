/// Why the person's desktop cannot be told anything; equal by code.
package struct DesktopError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// There is no session bus here, so no desktop.
    case noBus
    /// The bus or a program on it said what cannot be understood.
    case badMessage
    /// The bus is gone.
    case lost
    /// The bus did not let us in, or a program on it refused.
    case refused
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  package var description: String { message }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}
