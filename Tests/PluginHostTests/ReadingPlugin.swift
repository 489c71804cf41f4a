import Foundation
import Glibc
import PhotoModel
import PluginHost

/// A storage that serves bytes through a pipe, in Swift for the daemon and the host, and in Python.
struct ReadingPlugin {
  let storage: any StoragePlugin

  init(_ way: Subject.Way, _ installed: Installed) throws {
    let settings = PluginSettings(options: ["path": installed.photos])
    switch way {
    case .daemon:
      storage = TrustedStorage(
        name: "reading", settings: settings, object: try TrustedObject(loading: Self.object.get()))
    case .host:
      try FileManager.default.copyItem(atPath: Self.object.get(), toPath: installed.folder + "/libreading.so")
      storage = IsolatedStorage(
        name: "reading", settings: settings, program: try installed.finder.program(for: "reading"))
    case .program:
      try installed.install("reading", python: Self.python)
      storage = IsolatedStorage(
        name: "reading", settings: settings, program: try installed.finder.program(for: "reading"))
    }
  }

  /// Has the storage write into a pipe, and returns the bytes.
  func read(_ locator: String, _ version: String? = nil, from offset: Int64 = 0, length: Int64? = nil) throws -> String
  {
    let pipe = Pipe()
    let version =
      try version ?? storage.enumerate(nil) { _ in }.items.first { $0.primary.locator == locator }?.primary
      .contentVersion ?? ""
    do {
      defer { try? pipe.fileHandleForWriting.close() }
      try storage.read(
        locator: locator, contentVersion: version, from: offset, length: length,
        into: pipe.fileHandleForWriting.fileDescriptor,
        deadline: .seconds(30))
    }
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// Compiled once, by the compiler of these tests.
  private static let object = Result { () throws -> String in
    let folder = FileManager.default.temporaryDirectory.path + "/reading-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try source.write(toFile: folder + "/Reading.swift", atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
      "swiftc", "-emit-library", "-module-name", "Reading", "-I", Installed.products + "/Modules", "-L",
      Installed.products, "-lPluginKit",
      folder + "/Reading.swift", "-o", folder + "/libreading.so",
    ]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    return folder + "/libreading.so"
  }

  private static let source = #"""
    import Glibc
    import PhotoModel
    import PluginKit

    final class Reading: StorageBackend {
      private let folder: String
      init(options: PluginOptions) throws(PluginError) { folder = options["path"] ?? "/" }
      func facts() throws(PluginError) -> StorageFacts {
        StorageFacts(root: nil, changeDetection: .rescan, isReadOnly: true, readsRanges: true)
      }
      private func version(_ facts: stat) -> String {
        "\(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec) \(facts.st_ino)"
      }
      func enumerate(page: String?) throws(PluginError) -> ItemPage {
        var items: [StorageItem] = []
        guard let open = opendir(folder) else { throw PluginError(.offline, "The folder is away.") }
        defer { closedir(open) }
        while let entry = readdir(open) {
          let name = withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          }
          var facts = stat()
          guard name.hasSuffix(".jpg"), stat(folder + "/" + name, &facts) == 0 else { continue }
          items.append(StorageItem(primary: ItemFile(
            role: .original, locator: name, filename: name, size: Int64(facts.st_size), contentVersion: version(facts),
            identityHint: nil, modified: Timestamp(microseconds: Int64(facts.st_mtim.tv_sec) * 1_000_000))))
        }
        return ItemPage(items: items, skipped: 0, next: nil)
      }
      func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool { false }
      func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError) {
        try read(locator: locator, contentVersion: contentVersion, range: offset..<Int64.max, into: pipe)
      }
      func read(locator: String, contentVersion: String, range: Range<Int64>, into pipe: Int32) throws(PluginError) {
        let file = open(folder + "/" + locator, O_RDONLY)
        guard file >= 0 else { throw PluginError(.notFound, "It is not there.") }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, version(facts) == contentVersion else {
          throw PluginError(.notFound, "It is another one.")
        }
        var place = range.lowerBound
        var piece = [UInt8](repeating: 0, count: 65_536)
        while place < range.upperBound {
          let count = pread(file, &piece, Int(min(65_536, range.upperBound - place)), Int(place))
          guard count > 0 else { return }
          guard write(pipe, piece, count) == count else { throw PluginError(.failed, "Nobody reads any more.") }
          place += Int64(count)
        }
      }
      func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem {
        throw PluginError(.readOnly, "No.")
      }
      func trash(locator: String) throws(PluginError) { throw PluginError(.readOnly, "No.") }
      func restore(locator: String) throws(PluginError) { throw PluginError(.readOnly, "No.") }
    }

    @_cdecl("photobroker_plugin_kit") public func kit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }
    @_cdecl("photobroker_plugin_register") public func register(_ registry: UnsafeMutableRawPointer) {
      PluginRegistry.from(registry).add(
        storage: "reading", Reading.self, options: [PluginOption("path", .path, summary: "The folder.")],
        capabilities: [.read], summary: "A test.")
    }
    """#

  private static let python =
    PythonPlugin.wire + #"""
      def version(facts): return "%d %d" % (facts.st_mtime_ns, facts.st_ino)
      def item(name):
          facts = os.stat(os.path.join(root, name))
          return {"files": [{"role": "original", "locator": name, "filename": name, "size": facts.st_size,
              "contentVersion": version(facts), "modified": facts.st_mtime_ns // 1000}], "source": "userLibrary"}
      def read(asked, pipe):
          with open(os.path.join(root, asked["locator"]), "rb") as file:
              if version(os.fstat(file.fileno())) != asked["contentVersion"]:
                  raise Failure("notFound", "It is another one.")
              left = asked.get("length")
              file.seek(asked["offset"])
              while piece := file.read(65536 if left is None else min(65536, left)):
                  while piece: piece, left = piece[(count := os.write(pipe, piece)):], left and left - count
                  if left == 0: break
      for method, parameters, files in calls():
          try:
              if method == "Start":
                  root = parameters["options"]["path"]
                  answer({"kit": 1})
              elif method == "Facts":
                  answer({"root": None, "changeDetection": "rescan", "isReadOnly": True, "ranges": True})
              elif method == "Enumerate":
                  names = [n for n in sorted(os.listdir(root)) if n.endswith(".jpg")]
                  answer({"items": [item(n) for n in names], "skipped": 0})
              elif method == "Read":
                  read(parameters, files[0])
                  answer({})
              else: refuse("unsupported", "It cannot.")
          except FileNotFoundError: refuse("notFound", "It is not there.")
          except BrokenPipeError: refuse("failed", "Nobody reads any more.")
          except Failure as failure: refuse(*failure.args)
      """#
}
