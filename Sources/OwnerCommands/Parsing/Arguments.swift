/// Parsed arguments: values of the command's declared operands and options only.
struct Arguments: Sendable {
  /// The command's path in the tree.
  var path: [String] = []
  private var operands: [String: [String]] = [:]
  private var options: [String: [String]] = [:]

  /// The value of an operand with exactly one word; the parser ensures that it exists.
  subscript(_ operand: Operand) -> String { operands[operand.name]?.first ?? "" }

  /// All words of an operand; empty without one.
  func all(_ operand: Operand) -> [String] { operands[operand.name] ?? [] }

  /// The value of an option; nil without it.
  subscript(_ option: CommandOption) -> String? { options[option.name]?.last }

  func all(_ option: CommandOption) -> [String] { options[option.name] ?? [] }

  func has(_ option: CommandOption) -> Bool { options[option.name] != nil }

  mutating func add(_ word: String, to operand: Operand) { operands[operand.name, default: []].append(word) }

  mutating func add(_ values: [String], to option: CommandOption) { options[option.name, default: []] += values }

  /// An option's value as a number; nil without the option.
  ///
  /// - Throws: `usage` unless it is a number in `range`.
  func integer(_ option: CommandOption, in range: ClosedRange<Int64>) throws(CommandError) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw .usage("\(option.typed) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text).")
    }
    return number
  }

  /// Parses user numbers separated by commas.
  ///
  /// - Throws: `usage`.
  static func users(_ text: String, of what: String) throws(CommandError) -> [Int64] {
    var users: [Int64] = []
    for part in text.split(separator: ",") {
      guard let user = UInt32(part), user != .max else {
        throw .usage("\(what) takes user numbers, separated by commas; \(part) is not one.")
      }
      users.append(Int64(user))
    }
    return users
  }
}
