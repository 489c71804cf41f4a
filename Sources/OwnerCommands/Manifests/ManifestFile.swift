import Limits
import Varlink

/// Reads an app's manifest from JSON or an XML property list.
enum ManifestFile {
  /// - Throws: `notFound`; `badData` with the position of the error.
  static func read(_ path: String, console: any Console) throws(CommandError) -> JSONObject {
    try parse(
      InputFile.read(path, limitBytes: ServiceLimits.manifestBytes, console: console), name: InputFile.name(path))
  }

  static func parse(_ bytes: [UInt8], name: String) throws(CommandError) -> JSONObject {
    if bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "<") {
      return try PropertyList.parse(bytes, name: name)
    }
    if bytes.starts(with: "bplist".utf8) {
      throw CommandError(
        .badData, "\(name) is a binary property list; make XML of it first, with plutil -convert xml1 or plistutil.")
    }
    do { return try JSONObject(message: bytes, rules: .client) } catch {
      throw CommandError(
        .badData,
        "\(name) is no manifest: \(error.explained(in: bytes)). A manifest is a JSON object or an XML property list.")
    }
  }
}
