/// The input and output of a command.
package protocol Console: AnyObject {
  /// Whether standard output is a terminal.
  var isTerminal: Bool { get }
  /// The width of the terminal.
  var columns: Int { get }
  /// Whether a person can answer: both standard input and standard error are terminals.
  var canAsk: Bool { get }
  /// Prints a line to standard output.
  func print(_ line: String)
  /// Prints a line to standard error.
  func complain(_ line: String)
  /// Shows a line on standard error that replaces the one before; an empty line clears it. Called
  /// only if `canAsk`.
  func progress(_ line: String)
  /// Asks on standard error and reads a line; nil at the end of the input.
  func ask(_ question: String) -> String?
  /// Reads all of standard input; nil if it is longer than `limitBytes`.
  func input(limitBytes: Int) -> [UInt8]?
}
