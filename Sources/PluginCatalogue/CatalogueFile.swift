import CLinux
import Glibc
import PluginHost
import PluginKit
import Varlink

/// `catalogue.json`: installed plugins, and disabled bundled ones. People may edit it, so faults
/// are explained.
struct CatalogueFile: Sendable, Equatable {
  var plugins: [InstalledPlugin] = []
  var disabled: Set<String> = []
  /// The fault of the file. Valid lines are still used; nothing is written while a fault exists.
  var fault: String?

  private static let version: Int64 = 1
  private static let limitBytes = 4 << 20

  /// Reads the file. Without a file no plugin is installed.
  static func read(_ path: String) -> Self {
    var buffer = [CChar](repeating: 0, count: limitBytes + 1)
    let count = clinux_read_small_file(path, &buffer, buffer.count)
    if count == -Int(ENOENT) { return Self() }
    guard count >= 0 else { return Self(fault: "it cannot be read (\(String(cString: strerror(Int32(-count)))))") }
    guard count <= limitBytes else { return Self(fault: "it is longer than \(limitBytes >> 20) MiB") }
    return Self(reading: buffer[..<count].map { UInt8(bitPattern: $0) })
  }

  init(fault: String) { self.fault = fault }

  init() {}

  init(reading bytes: [UInt8]) {
    let form: Form
    do throws(VarlinkError) {
      let rules = DecodingRules(
        rejectsUnknownFields: true, arrayLimit: 1_000, stringLimitBytes: 65_536, messageLimitBytes: Self.limitBytes)
      form = try Form(message: bytes, rules: rules)
    } catch {
      fault = "\(error)"
      return
    }
    guard form.version == Self.version else {
      fault = "\"version\" is \(form.version), and this broker reads version \(Self.version)"
      return
    }
    disabled = Set(form.disabled)
    for (index, line) in form.plugins.enumerated() {
      do throws(PluginFailure) {
        let plugin = try line.plugin()
        if let reason = conflict(of: plugin) { throw PluginFailure(.failed, reason) }
        plugins.append(plugin)
      } catch {
        let words = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        fault = fault ?? "plugin \(index + 1), \"\(IsolatedPlugin.plain(line.name, limit: 64))\": \(words)"
      }
    }
  }

  /// The reason why a plugin conflicts with those before it; nil if it does not.
  private func conflict(of plugin: InstalledPlugin) -> String? {
    for other in plugins {
      if other.name == plugin.name { return "the name is listed twice" }
      if let role = plugin.roles.first(where: other.roles.contains) {
        return "the \(role) is offered by \(other.name) already"
      }
    }
    return nil
  }

  /// Replaces the file atomically.
  /// - Throws: `failed`, `noSpace`.
  func write(_ path: String, in folder: String) throws(PluginFailure) {
    let new = path + ".new"
    unlink(new)
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("The catalogue of plugins cannot be written", errno) }
    defer { close(file) }
    try PluginFiles.write(text, to: file)
    guard fsync(file) == 0, rename(new, path) == 0 else {
      throw .system("The catalogue of plugins cannot be written", errno)
    }
    try PluginFiles.sync(folder)
  }

  /// One line for each plugin.
  private var text: [UInt8] {
    let lines = plugins.map { CatalogueLine($0).jsonBytes }.joined(separator: Array(",\n".utf8))
    return Array("{\"version\":\(Self.version),\"disabled\":".utf8) + disabled.sorted().jsonBytes
      + Array(",\"plugins\":[\n".utf8) + lines
      + Array("\n]}\n".utf8)
  }

  private struct Form: VarlinkDecodable {
    var version: Int64
    var disabled: [String]
    var plugins: [CatalogueLine]

    init(from reader: inout JSONReader) throws(VarlinkError) {
      var version: Int64?
      var disabled: [String]?
      var plugins: [CatalogueLine]?
      var scope = try reader.beginObject()
      while try reader.nextKey(&scope) {
        if try reader.read("version", 0, &scope, into: &version) { continue }
        if try reader.read("disabled", 1, &scope, into: &disabled) { continue }
        if try reader.read("plugins", 2, &scope, into: &plugins) { continue }
        try reader.unknownField(&scope)
      }
      self.version = try version.required("version")
      self.disabled = disabled ?? []
      self.plugins = try plugins.required("plugins")
    }
  }
}
