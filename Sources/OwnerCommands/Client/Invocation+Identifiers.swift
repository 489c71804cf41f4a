import BrokerInterface

/// Identifiers by a unique prefix, and albums by their titles.
///
/// A whole identifier is taken as it is, without a list. A text that names nothing stays as it is,
/// so that the broker says what is wrong with it.
extension Invocation {
  /// The identifier that a text begins.
  ///
  /// - Throws: `usage` with the identifiers if it begins several.
  func identifier(
    _ typed: String, _ kind: String, among known: () throws(CommandError) -> [String]
  ) throws(CommandError) -> String {
    guard Self.isPrefix(typed) else { return typed }
    return try named(typed, kind, known().filter { $0.hasPrefix(typed) }.map { ($0, "") })
  }

  /// The only one of some matches; the text itself without any.
  ///
  /// - Throws: `usage` with the matches if there are several.
  func named(
    _ typed: String, _ kind: String, _ matches: [(name: String, words: String)]
  ) throws(CommandError) -> String {
    guard matches.count > 1 else { return matches.first?.name ?? typed }
    let lines = matches.prefix(10).map { "\($0.name)  \($0.words)" }
    throw .usage(
      "\(typed) stands for \(matches.count) \(kind)s. Repeat the command with one of these names:\n"
        + lines.joined(separator: "\n") + (matches.count > lines.count ? "\nand others" : ""))
  }

  /// Whether a text may begin an identifier: 4 to 31 hexadecimal digits.
  static func isPrefix(_ text: String) -> Bool { (4..<32).contains(text.utf8.count) && isHexadecimal(text) }

  static func isWhole(_ text: String) -> Bool { text.utf8.count == 32 && isHexadecimal(text) }

  private static func isHexadecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// The tokens' identifiers of a text.
  func accessor(_ typed: String) throws(CommandError) -> String {
    try identifier(typed, "token") { () throws(CommandError) in
      try callForAll(Admin.ListTokens.self, .init()).value.tokens.map(\.accessor)
    }
  }

  /// The asset of a text.
  func asset(_ typed: String, in library: String) throws(CommandError) -> String {
    try assets([typed], in: library)[0]
  }

  /// The assets of some texts, in their order.
  func assets(_ typed: [String], in library: String) throws(CommandError) -> [String] {
    guard typed.contains(where: Self.isPrefix) else { return typed }
    var (parameters, known) = (Admin.FetchOwnedColumns.Parameters(library: library), [String]())
    repeat {
      let page = try call(Admin.FetchOwnedColumns.self, parameters).value
      var rest = Substring(page.identifiers)
      while !rest.isEmpty {
        known.append(String(rest.prefix(32)))
        rest = rest.dropFirst(32)
      }
      parameters.skip = page.next
    } while parameters.skip != nil
    return try typed.map { (text) throws(CommandError) in try identifier(text, "asset") { known } }
  }

  /// All albums of a library, or those that an app sees, by title.
  func albums(of library: String, seenBy app: String? = nil) throws(CommandError) -> [Admin.OwnedAlbum] {
    try callForAll(Admin.ListOwnedAlbums.self, .init(library: library, app: app)).value.albums
  }

  /// The album of an identifier, of its prefix or of a title.
  func album(_ typed: String, in library: String) throws(CommandError) -> String {
    guard !Self.isWhole(typed) else { return typed }
    let matches = try albums(of: library).filter {
      $0.title == typed || Self.isPrefix(typed) && $0.album.hasPrefix(typed)
    }
    return try named(typed, "album", matches.map { ($0.album, $0.title) })
  }

  /// The selector of the options, with whole identifiers; nil without any.
  ///
  /// - Throws: `usage`.
  func selector(in library: String) throws(CommandError) -> Admin.Selector? {
    try whole(SelectorOptions.selector(arguments), in: library)
  }

  /// Selectors with whole identifiers.
  func whole(_ selectors: [Admin.Selector]?, in library: String) throws(CommandError) -> [Admin.Selector]? {
    try selectors?.map { (selector) throws(CommandError) in try whole(selector, in: library) ?? selector }
  }

  /// A selector with whole identifiers.
  func whole(_ selector: Admin.Selector?, in library: String) throws(CommandError) -> Admin.Selector? {
    guard var selector else { return nil }
    if let typed = selector.identifiers { selector.identifiers = try assets(typed, in: library) }
    if let typed = selector.album { selector.album = try album(typed, in: library) }
    return selector
  }
}
