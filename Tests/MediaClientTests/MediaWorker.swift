import CLinux
import Foundation
import Glibc
import MediaClient
import Testing
import UnixSocket

/// The built worker and the real photos; CI needs both.
enum MediaWorker {
  static let isCI = ProcessInfo.processInfo.environment["CI"] == "true"

  /// SwiftPM builds programs beside the test program.
  static let folder: String = {
    let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: here).deletingLastPathComponent().path
  }()

  static let programs = ["photobroker-media", "photobroker-video"]

  static let photos = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/photos")

  static let isBuilt = isCI || programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
  static let hasPhotos =
    isBuilt && (isCI || FileManager.default.fileExists(atPath: photos.appendingPathComponent("manifest.tsv").path))

  static let noWorker: Comment = "the media workers are not built: install the packages of scripts/debian-packages"
  static let noPhotos: Comment = "../shared/photos with its manifest.tsv is not there, or the worker is not built"

  /// Returns a memory file with these bytes, sealed like the broker's copies.
  static func sealed(_ bytes: Data) throws -> FileDescriptor {
    let file = FileDescriptor(owning: clinux_memory_file("input"))
    try bytes.withUnsafeBytes { all in
      var rest = all[...]
      while !rest.isEmpty {
        let count = write(file.number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        try #require(count > 0)
        rest = rest.dropFirst(count)
      }
    }
    let sealing = clinux_seal(file.number)
    try #require(sealing == 0)
    return file
  }

  static func photo(_ name: String) throws -> Data { try Data(contentsOf: photos.appendingPathComponent(name)) }

  static func bytes(of thumbnail: borrowing Thumbnail) throws -> Data {
    var bytes = Data(count: thumbnail.byteCount)
    let number = thumbnail.descriptor.number
    let count = bytes.withUnsafeMutableBytes { pread(number, $0.baseAddress, $0.count, 0) }
    try #require(count == thumbnail.byteCount)
    return bytes
  }

  /// Requests a thumbnail and returns the error, or nil.
  static func refusal(_ client: MediaClient, _ data: Data, _ request: ThumbnailRequest = .init(width: 320, height: 320))
    throws
    -> MediaError?
  {
    let file = try sealed(data)
    do {
      _ = try client.thumbnail(of: file, request)
      return nil
    } catch { return error }
  }
}
