import Foundation
import Varlink

/// `varlink-generate INTERFACE.varlink OUTPUT.swift`: writes an interface as Swift.
@main
enum VarlinkGenerate {
  static func main() {
    do {
      guard CommandLine.arguments.count == 3 else { throw GenerationError.usage }
      let (text, output) = (try generator(for: CommandLine.arguments[1]).text(), CommandLine.arguments[2])
      // A write of the same text would have its module compiled again.
      if (try? String(contentsOfFile: output, encoding: .utf8)) == text { return }
      try text.write(toFile: output, atomically: true, encoding: .utf8)
    } catch {
      FileHandle.standardError.write(Data("varlink-generate: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Creates a generator for the interface in `file`, whose name must be the interface's.
  static func generator(for file: String) throws -> SwiftGenerator {
    let url = URL(fileURLWithPath: file)
    let source = try String(contentsOf: url, encoding: .utf8)
    do {
      let interface = try InterfaceDescription(parsing: source)
      guard url.lastPathComponent == interface.name + ".varlink" else {
        throw GenerationError(message: "the interface's name is \(interface.name), and so must the file's be")
      }
      return SwiftGenerator(interface: interface, source: source)
    } catch {
      throw GenerationError(message: "\(url.lastPathComponent): \(error)")
    }
  }
}
