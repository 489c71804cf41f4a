/// The reason why the durable state could not be opened; equal by code. Messages name the remedy,
/// but no path and no name.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable {
    /// Another daemon serves this state.
    case locked
    /// The state folder or a file in it belongs to another user, or others can read or write it.
    case permissions
    /// A broker of another version wrote it.
    case otherVersion
    /// The stored state is damaged.
    case corrupt
    /// The file system is full.
    case full
    /// Any other error of the system.
    case input
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String = "") {
    self.code = code
    self.message = message
  }

  /// Whether another start fails too, until a person changes the state.
  package var outlastsRestarts: Bool { code == .otherVersion || code == .corrupt || code == .permissions }

  package var description: String { "store: \(message)" }
  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}
