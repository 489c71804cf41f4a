import Foundation
import PluginKit
import Testing

@testable import RcloneStorage

/// Tokens that rclone renews in a copy, because it may not write to its configuration.
struct RcloneConfigurationTests {
  private let folder: String
  private let file: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "rclone-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder + "/own", withIntermediateDirectories: true)
    file = folder + "/photos.conf"
  }

  private func write(_ text: String, _ path: String) throws {
    // rclone writes a new file and renames it.
    try Data(text.utf8).write(to: URL(filePath: path + ".1"))
    #expect(chmod(path + ".1", 0o600) == 0 && rename(path + ".1", path) == 0)
  }

  private func text(_ path: String) throws -> String { try String(contentsOf: URL(filePath: path), encoding: .utf8) }

  @Test func `rclone's renewed tokens are written back, and others' edits stay`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write("token = 1\n", file)
    let inode = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
    let options = try PluginOptions(["remote": "a:b", "config": file], secrets: [:], for: RcloneStorage.options)
    let configuration = try RcloneConfiguration(options, in: folder + "/own")
    #expect(configuration.path.hasPrefix(folder + "/own/"))
    try configuration.refresh()
    #expect(try text(configuration.path) == "token = 1\n")
    configuration.keep()
    #expect(try text(file) == "token = 1\n")
    try write("token = 2, longer\n", configuration.path)
    configuration.keep()
    #expect(try text(file) == "token = 2, longer\n")
    try write("token = 3\n", configuration.path)
    configuration.keep()
    #expect(try text(file) == "token = 3\n")
    #expect(
      try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == inode,
      "its folder may not be writable")

    try write("token = theirs\n", file)
    try write("token = ours\n", configuration.path)
    configuration.keep()
    #expect(try text(file) == "token = theirs\n")
    try configuration.refresh()
    #expect(try text(configuration.path) == "token = theirs\n")
    try FileManager.default.removeItem(atPath: file)
    #expect { try configuration.refresh() } throws: { ($0 as? PluginError)?.code == .offline }
  }

  @Test func `a text has no name, and a file in a shared folder is used in place`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let handed = try PluginOptions(["remote": "a:b"], secrets: ["configuration": "[a]\n"], for: RcloneStorage.options)
    for own in [folder + "/own", nil] {
      let configuration = try RcloneConfiguration(handed, in: own)
      #expect(configuration.descriptor != nil && configuration.path == "/proc/self/fd/3")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/own") == [])
    }
    try write("[a]\n", file)
    let named = try PluginOptions(["remote": "a:b", "config": file], secrets: [:], for: RcloneStorage.options)
    #expect(try RcloneConfiguration(named, in: nil).path == file)
  }
}
