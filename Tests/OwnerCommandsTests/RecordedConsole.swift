@testable import OwnerCommands

/// A console that records output and takes answers from a list.
final class RecordedConsole: Console {
  var isTerminal = false
  var canAsk = false
  var columns = 120
  var answers: [String] = []
  var standardInput: [UInt8] = []
  private(set) var printed: [String] = []
  private(set) var complaints: [String] = []
  private(set) var questions: [String] = []
  private(set) var progressLines: [String] = []

  /// A terminal at which a person gives these answers.
  static func terminal(_ answers: String...) -> RecordedConsole {
    let console = RecordedConsole()
    (console.isTerminal, console.canAsk, console.answers) = (true, true, answers)
    return console
  }

  func print(_ line: String) {
    printed += line.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
  func complain(_ line: String) { complaints.append(line) }
  func progress(_ line: String) { progressLines.append(line) }
  func ask(_ question: String) -> String? {
    questions.append(question)
    return answers.isEmpty ? nil : answers.removeFirst()
  }
  func input(limitBytes: Int) -> [UInt8]? { standardInput.count > limitBytes ? nil : standardInput }

  var everything: String { (printed + complaints + questions + progressLines).joined(separator: "\n") }
}
