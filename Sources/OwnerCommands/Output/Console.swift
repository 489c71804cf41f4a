/// Where a command's words go and where answers come from.
package protocol Console: AnyObject {
  /// Whether standard output is a terminal.
  var isTerminal: Bool { get }
  /// Whether a person can be asked: both standard input and standard error are terminals.
  var canAsk: Bool { get }
  /// Prints a line to standard output.
  func print(_ line: String)
  /// Prints a line to standard error.
  func complain(_ line: String)
  /// Shows a line on standard error that the next one replaces; only called where `canAsk`. Empty: clears it.
  func progress(_ line: String)
  /// Asks on standard error and reads a line; nil at the end of the input.
  func ask(_ question: String) -> String?
  /// All of standard input, at most `limitBytes`; nil when there is more.
  func input(limitBytes: Int) -> [UInt8]?
}
