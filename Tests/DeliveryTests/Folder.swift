import CLinux
import Delivery
import Foundation
import Glibc
import UnixSocket

/// A folder for one test, removed with the object.
final class Folder: Sendable {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "delivery-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    chmod(path, 0o755)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  func read(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func root(owners: [UInt32] = [getuid()]) throws -> LibraryRoot { try LibraryRoot(path: path, owners: owners) }

  func descriptor(_ name: String, _ flags: Int32 = O_RDONLY) throws -> FileDescriptor {
    try FileDescriptor(result: clinux_open("\(path)/\(name)", flags, 0o644), of: "Opening")
  }

  func copy(_ name: String) throws -> SealedCopy {
    try SealedCopy.copying(root().open(name), limitBytes: 1 << 26)
  }
}

/// Returns pseudorandom bytes, the same in each run.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}

func contents(_ copy: SealedCopy) throws -> [UInt8] { try copy.withBytes { Array($0) } }

/// Returns the code of the error that a call throws, or nil.
func code(_ body: () throws -> Void) -> DeliveryError.Code? {
  do { try body() } catch { return (error as? DeliveryError)?.code }
  return nil
}
