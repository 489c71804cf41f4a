import PluginKit

/// A path below the served folder, checked: no empty, `.` or `..` component, no leading slash, no NUL.
struct RelativePath: Equatable {
  let text: String
  let components: [String]

  /// - Throws: `notFound`: a path that breaks the rules names nothing.
  init(_ text: String) throws(PluginError) {
    let components = text.utf8.isEmpty ? [] : text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard !components.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.contains(0) }) else {
      throw PluginError(.notFound, "There is no such file.")
    }
    self.text = text
    self.components = components
  }

  private init(components: ArraySlice<String>) {
    self.components = Array(components)
    text = components.joined(separator: "/")
  }

  /// The last component; empty for the served folder itself.
  var name: String { components.last ?? "" }
  var folder: RelativePath { RelativePath(components: components.dropLast()) }
}
