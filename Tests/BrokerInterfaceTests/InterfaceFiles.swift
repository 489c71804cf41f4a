import Foundation
import Varlink

enum InterfaceFiles {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/BrokerInterface")

  static var all: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        at: root.appendingPathComponent("Interfaces"), includingPropertiesForKeys: nil
      ).filter { $0.pathExtension == "varlink" }.sorted { $0.path < $1.path }
    }
  }

  static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
