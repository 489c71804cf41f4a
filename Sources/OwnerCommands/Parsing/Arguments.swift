/// What was typed, sorted by the command's description. Only declared operands and options are in it.
struct Arguments: Sendable {
  /// The words that led to the command.
  var path: [String] = []
  private var operands: [String: [String]] = [:]
  private var options: [String: [String]] = [:]

  /// The value of an operand that takes exactly one word, which parsing has made sure of.
  subscript(_ operand: Operand) -> String { operands[operand.name]?.first ?? "" }

  /// All words of an operand; empty where it was left out.
  func all(_ operand: Operand) -> [String] { operands[operand.name] ?? [] }

  /// The value of an option; nil where it was not given.
  subscript(_ option: CommandOption) -> String? { options[option.name]?.last }

  /// All values of an option.
  func all(_ option: CommandOption) -> [String] { options[option.name] ?? [] }

  /// Whether an option was given.
  func has(_ option: CommandOption) -> Bool { options[option.name] != nil }

  mutating func add(_ word: String, to operand: Operand) { operands[operand.name, default: []].append(word) }

  mutating func add(_ values: [String], to option: CommandOption) { options[option.name, default: []] += values }

  /// The value of an option as a number.
  ///
  /// - Throws: `usage` where it is none, or out of `range`.
  func integer(_ option: CommandOption, in range: ClosedRange<Int64>) throws(CommandError) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw .usage("\(option.typed) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text).")
    }
    return number
  }

  /// User numbers, separated by commas.
  ///
  /// - Throws: `usage` for anything else.
  static func users(_ text: String, of what: String) throws(CommandError) -> [Int64] {
    var users: [Int64] = []
    for part in text.split(separator: ",") {
      guard let user = UInt32(part), user != .max else {
        throw .usage("\(what) takes user numbers, separated by commas; \(part) is none.")
      }
      users.append(Int64(user))
    }
    return users
  }
}
