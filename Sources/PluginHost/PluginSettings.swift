package import PluginKit

/// What a plugin's object is made with.
package struct PluginSettings: Sendable, Equatable {
  package var options: [String: String]
  /// Values of secret options: for the plugin, and for nobody else.
  package var secrets: [String: String]

  package init(options: [String: String] = [:], secrets: [String: String] = [:]) {
    self.options = options
    self.secrets = secrets
  }

  /// These where a plugin described its options: checked, with defaults filled in.
  /// - Throws: `invalidOption`, naming the option and what is allowed.
  package func checked(for described: [PluginOption]) throws(PluginFailure) -> PluginSettings {
    let checked: PluginOptions
    do throws(PluginError) { checked = try PluginOptions(options, secrets: secrets, for: described) } catch {
      throw PluginFailure(error.code, error.message)
    }
    var filled: [String: String] = [:]
    for option in described where !option.isSecret { filled[option.name] = checked[option.name] }
    return PluginSettings(options: filled, secrets: secrets)
  }

  /// A plugin's message without its secrets, whole or by line: it goes to owners and into logs.
  func redacted(_ message: String) -> String {
    var message = message
    for piece in secrets.values.flatMap({ Self.pieces(of: $0) }).sorted(by: { $0.count > $1.count }) {
      message = Self.replacing(piece, in: message)
    }
    return message
  }

  /// What must not be shown of a secret: its lines, and what follows an equals sign in each. Short ones are no secret.
  private static func pieces(of secret: String) -> [String] {
    let lines = secret.split(whereSeparator: \.isNewline).map(trimmed)
    let values = lines.compactMap { line in line.firstIndex(of: "=").map { trimmed(line[line.index(after: $0)...]) } }
    return ([secret] + lines + values).filter { $0.utf8.count >= 4 }
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  private static func replacing(_ piece: String, in message: String) -> String {
    let (text, sought) = (Array(message.utf8), Array(piece.utf8))
    guard text.count >= sought.count else { return message }
    var kept: [UInt8] = []
    var place = 0
    while place < text.count {
      if text[place] == sought[0], text[place...].starts(with: sought) {
        kept += Array("[secret]".utf8)
        place += sought.count
      } else {
        kept.append(text[place])
        place += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }
}
