import Accounts

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

  /// Whether one of two opposite options is given; nil without both.
  ///
  /// - Throws: `usage` for both.
  func choice(_ yes: CommandOption, _ no: CommandOption) throws(CommandError) -> Bool? {
    guard !has(yes) || !has(no) else { throw .usage("\(yes.typed) excludes \(no.typed). Leave one out.") }
    return has(yes) ? true : has(no) ? false : nil
  }

  /// An option's value as a time that has passed; nil without the option.
  ///
  /// - Throws: `usage`.
  func past(_ option: CommandOption) throws(CommandError) -> Int64? {
    try self[option].map { (text) throws(CommandError) in try Moment.past(text, of: option.typed) }
  }

  /// An option's value as a number of bytes, in which K, M, G and T are powers of 1,000; nil without
  /// the option.
  ///
  /// - Throws: `usage` unless it is a number in `range`.
  func bytes(_ option: CommandOption, in range: ClosedRange<Int64>) throws(CommandError) -> Int64? {
    guard let text = self[option] else { return nil }
    let units: [Character: Int64] = ["K": 1_000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let product = Int64(digits)?.multipliedReportingOverflow(by: unit ?? 1)
    guard let product, !product.overflow, range.contains(product.partialValue) else {
      throw .usage(
        "\(option.typed) takes a number of bytes from \(range.lowerBound) to \(range.upperBound), such as 500M or 2G, "
          + "not \(text).")
    }
    return product.partialValue
  }

  /// The user that an option names; nil without the option.
  ///
  /// - Throws: `usage`.
  func user(_ option: CommandOption) throws(CommandError) -> Int64? {
    guard let text = self[option] else { return nil }
    return try Self.user(text, of: option.typed)
  }

  /// The users that an option names, separated by commas; nil without the option.
  ///
  /// - Throws: `usage`.
  func users(_ option: CommandOption) throws(CommandError) -> [Int64]? {
    guard let text = self[option] else { return nil }
    return try Self.users(text, of: option.typed)
  }

  /// Parses a user's name or number.
  ///
  /// - Throws: `usage`.
  static func user(_ text: String, of what: String) throws(CommandError) -> Int64 {
    guard let user = AccountNames.number(text) else {
      throw .usage("\(what) takes a user's name or number; this machine has no user \(text).")
    }
    return user
  }

  /// Parses users separated by commas.
  ///
  /// - Throws: `usage`.
  static func users(_ text: String, of what: String) throws(CommandError) -> [Int64] {
    try text.split(separator: ",").map { (part) throws(CommandError) in try user(String(part), of: what) }
  }
}
