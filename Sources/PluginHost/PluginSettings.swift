package import PluginKit

/// Options and secrets for a plugin's object.
package struct PluginSettings: Sendable, Equatable {
  package var options: [String: String]
  /// Values of secret options, for the plugin alone.
  package var secrets: [String: String]
  /// The folders to which the plugin is confined.
  package var pins: FolderPins
  /// The library's user, for a storage in a folder that is not this user's own.
  package var owner: UInt32?

  package init(
    options: [String: String] = [:], secrets: [String: String] = [:], pins: FolderPins = FolderPins(),
    owner: UInt32? = nil
  ) {
    self.options = options
    self.secrets = secrets
    self.pins = pins
    self.owner = owner
  }

  var folders: [String: String] { pins.named(by: options) }

  /// Returns the settings with defaults, checked against a plugin's options.
  /// - Throws: `invalidOption`, with the option's name and its allowed values.
  package func checked(for described: [PluginOption]) throws(PluginFailure) -> PluginSettings {
    let checked: PluginOptions
    do throws(PluginError) { checked = try PluginOptions(options, secrets: secrets, for: described) } catch {
      throw PluginFailure(error)
    }
    var filled: [String: String] = [:]
    for option in described where !option.isSecret { filled[option.name] = checked[option.name] }
    return PluginSettings(options: filled, secrets: secrets, pins: pins, owner: owner)
  }

  /// Removes secrets from a plugin's message for owners and logs: whole secrets, single lines of
  /// them, and a beginning at the end of the message, because messages are cut.
  package func redacted(_ message: String) -> String {
    let text = Array(message.utf8)
    var isSecret = [Bool](repeating: false, count: text.count)
    for piece in secrets.values.flatMap({ Self.pieces(of: $0) }) { Self.mark(Array(piece.utf8), in: text, &isSecret) }
    guard isSecret.contains(true) else { return message }
    var kept: [UInt8] = []
    for (place, byte) in text.enumerated() {
      if !isSecret[place] {
        kept.append(byte)
      } else if place == 0 || !isSecret[place - 1] {
        kept += Array("[secret]".utf8)
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// Parts of a secret that must not be shown: its lines, values after an equals sign, and JSON
  /// strings. Very short parts are kept visible.
  private static func pieces(of secret: String) -> [String] {
    let quoted = QuotedTexts.members(of: secret).filter { $0.name != openKey }.flatMap { [$0.written, $0.text] }
    let texts = [secret] + quoted.flatMap { [$0] + QuotedTexts.members(of: $0).flatMap { [$0.written, $0.text] } }
    let lines = texts.flatMap { $0.split(whereSeparator: \.isNewline).map(trimmed) }.filter { !isOpen($0) }
    let values = lines.compactMap { line in line.firstIndex(of: "=").map { trimmed(line[line.index(after: $0)...]) } }
    let all = Set((texts + lines + values).filter { $0.utf8.count >= shortest })
    // Also in the form for terminals.
    return Array(all.union(all.map { IsolatedPlugin.plain($0, limit: .max) }))
  }

  /// Whether a line names the type of service. People need it to understand a refusal.
  private static func isOpen(_ line: String) -> Bool {
    let key = line.prefix { $0 != "=" }
    return key.count < line.count && trimmed(key) == openKey
  }

  private static let openKey = "type"

  private static let shortest = 4

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Marks every occurrence of a piece, and a prefix of it at the end of the text, because texts
  /// are cut at their limits.
  private static func mark(_ piece: [UInt8], in text: [UInt8], _ isSecret: inout [Bool]) {
    var place = 0
    while place + piece.count <= text.count {
      if text[place] == piece[0], text[place...].starts(with: piece) {
        for marked in place..<place + piece.count { isSecret[marked] = true }
      }
      place += 1
    }
    // A multibyte character that was cut has become U+FFFD.
    let replacement: [UInt8] = [0xef, 0xbf, 0xbd]
    let end = text.count - (text.suffix(3).elementsEqual(replacement) ? 3 : 0)
    for length in stride(from: min(piece.count - 1, end, cutBytes), through: shortest, by: -1)
    where text[end - length] == piece[0] && text[end - length..<end].elementsEqual(piece.prefix(length)) {
      for marked in end - length..<text.count { isSecret[marked] = true }
      return
    }
  }

  /// Limit at which longer texts are cut.
  private static let cutBytes = 4_096
}
