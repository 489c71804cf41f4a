/// Joins the page's modules into one script.
///
/// A request for each of sixty modules takes a browser longer than all else that it does until the
/// page appears. Modules have no import cycles. They import by name, and export declarations that
/// are assigned once, so that each becomes a function that returns its exports.
struct PageScript {
  private let files: [String: [UInt8]]
  private var joined: Set<String> = []
  private(set) var bytes = Array("const modules = {}\n".utf8)

  /// - Parameters:
  ///   - files: Modules and JSON files by name.
  ///   - main: The module that starts the page.
  init(_ files: [String: [UInt8]], main: String) {
    self.files = files
    join(main)
    // Consoles and tests reach the running modules through it.
    bytes += "export { modules }\n".utf8
  }

  /// Appends a file after those that it imports.
  private mutating func join(_ name: String) {
    guard joined.insert(name).inserted, let file = files[name] else { return }
    guard name.hasSuffix(".js") else {
      bytes += Array("modules['\(name)'] = ".utf8) + file
      return
    }
    var body: [UInt8] = []
    var exports: [String] = []
    var isImport = false
    for line in String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      var line = line
      if line.hasPrefix("import ") {
        isImport = true
        line = "const" + line.dropFirst("import".count)
      } else if line.hasPrefix("export ") {
        line = line.dropFirst("export ".count)
        exports.append(Self.declaredName(line))
      }
      if isImport, let from = line.firstRange(of: " from './") {
        isImport = false
        let imported = String(line[from.upperBound...].prefix { $0 != "'" })
        join(imported)
        line = line[..<from.lowerBound] + " = modules['\(imported)']"
      }
      body += line.utf8
      body.append(UInt8(ascii: "\n"))
    }
    bytes += "modules['\(name)'] = (() => {\n".utf8
    bytes += body
    bytes += "return { \(exports.joined(separator: ", ")) }\n})()\n".utf8
  }

  /// The name in a declaration such as `async function call(method)`.
  private static func declaredName(_ declaration: Substring) -> String {
    let words = declaration.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
    return String(words.first { !["async", "function", "class", "const"].contains($0) } ?? "")
  }
}
