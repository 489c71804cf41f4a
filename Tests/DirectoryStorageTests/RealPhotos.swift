import Foundation
import Testing

enum RealPhotos {
  struct Row {
    var file, kind: String
    var bytes: Int64
  }

  static let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/photos").path

  static let arePresent =
    ProcessInfo.processInfo.environment["CI"] == "true"
    || FileManager.default.fileExists(atPath: path + "/manifest.tsv")
  static let absence: Comment = "../shared/photos with its manifest.tsv is not there"

  static func manifest() throws -> [Row] {
    let lines = try String(contentsOfFile: path + "/manifest.tsv", encoding: .utf8).split(separator: "\n")
    let names = lines[0].split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    func column(_ name: String) throws -> Int { try #require(names.firstIndex(of: name)) }
    let (file, kind, bytes) = (try column("file"), try column("class"), try column("bytes"))
    return try lines.dropFirst().map { line in
      let values = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Row(file: values[file], kind: values[kind], bytes: try #require(Int64(values[bytes])))
    }
  }
}
