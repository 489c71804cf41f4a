import PluginKit

/// A validated path below the served folder: no empty, `.` or `..` component, no leading slash, no
/// NUL.
struct RelativePath: Equatable {
  let text: String
  let components: [String]

  /// - Throws: `notFound`, because no file can have an invalid path.
  init(_ text: String) throws(PluginError) {
    let components = text.utf8.isEmpty ? [] : Self.split(text)
    guard !components.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.contains(0) }) else {
      throw PluginError(.notFound, "There is no such file.")
    }
    self.text = text
    self.components = components
  }

  /// Splits bytes: a combining character would merge with the slash before it.
  private static func split(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private init(components: ArraySlice<String>) {
    self.components = Array(components)
    text = components.joined(separator: "/")
  }

  /// The last component; empty for the served folder itself.
  var name: String { components.last ?? "" }
  var folder: RelativePath { RelativePath(components: components.dropLast()) }
}
