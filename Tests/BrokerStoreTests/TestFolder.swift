import Foundation
import Testing

/// A folder for one store, deleted with the test.
final class TestFolder {
  let path: String

  init() throws {
    // In memory if possible: crashes and disk failures are simulated, so a real disk would only
    // cost time.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    var template = Array((parent + "/photobroker-store-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// The name of the only floor file.
  var floorName: String {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("epoch-floor") }
      return try #require(names.count == 1 ? names[0] : nil, "\(names)")
    }
  }

  /// The epoch in that name.
  var floorEpoch: UInt64 { get throws { try #require(UInt64(floorName.dropFirst("epoch-floor.".count), radix: 16)) } }

  func copy(_ name: String, to other: TestFolder) throws {
    try? FileManager.default.removeItem(atPath: other.file(name))
    try FileManager.default.copyItem(atPath: file(name), toPath: other.file(name))
  }
}
