import Foundation
import Varlink

/// `varlink-generate [--access public|package] --output FOLDER FILE...`: writes a folder of Swift for each interface.
@main
enum VarlinkGenerate {
  static func main() {
    do {
      let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
      for file in arguments.files { try generate(file, arguments) }
    } catch {
      FileHandle.standardError.write(Data("varlink-generate: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func generate(_ file: String, _ arguments: Arguments) throws {
    let generator = try generator(for: file, access: arguments.access)
    let folder = URL(fileURLWithPath: arguments.output).appendingPathComponent(generator.namespace)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let files = try generator.files()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let stale = folder.appendingPathComponent(name)
      guard !files.contains(where: { $0.name == name }) else { continue }
      // Removes only generated files.
      if try String(contentsOf: stale, encoding: .utf8).hasPrefix(SwiftGenerator.marker) {
        try FileManager.default.removeItem(at: stale)
      }
    }
    for file in files {
      let target = folder.appendingPathComponent(file.name)
      if (try? String(contentsOf: target, encoding: .utf8)) == file.text { continue }
      try file.text.write(to: target, atomically: true, encoding: .utf8)
    }
  }

  /// Creates a generator for the interface in `file`, whose name must be the interface's.
  static func generator(for file: String, access: SwiftGenerator.Access) throws -> SwiftGenerator {
    let url = URL(fileURLWithPath: file)
    let source = try String(contentsOf: url, encoding: .utf8)
    do {
      let interface = try InterfaceDescription(parsing: source)
      guard url.lastPathComponent == interface.name + ".varlink" else {
        throw GenerationError(message: "the interface's name is \(interface.name), and so must the file's be")
      }
      return SwiftGenerator(interface: interface, source: source, access: access)
    } catch {
      throw GenerationError(message: "\(url.lastPathComponent): \(error)")
    }
  }
}
