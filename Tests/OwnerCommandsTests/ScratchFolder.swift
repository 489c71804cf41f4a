import Foundation

/// A folder that is deleted with its test.
final class ScratchFolder {
  let path: String

  init() throws {
    // Short, because a socket's path has at most 107 bytes.
    path = "/tmp/oc-" + UUID().uuidString.prefix(8).lowercased()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    let file = path + "/" + name
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    return file
  }

  func read(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }
}
