import BrokerInterface
package import PluginHost
import PluginKit
import Varlink

/// An installed plugin: one line of the catalogue file.
package struct InstalledPlugin: Sendable, Equatable {
  package var name: String
  package var form: PluginForm
  /// SHA-256 of its file, 64 hexadecimal digits; also the name of its folder.
  package var digest: String
  package var isEnabled = true
  /// The reason why the broker disabled it; nil if a person did, or if it is enabled.
  package var problem: String?
  package var isDevelopment = false
  /// Microseconds since 1970.
  package var installed: Int64
  package var installedBy: Int64
  /// Its description at the time of installation.
  package var description: PluginDescription

  package var roles: [PluginRole] { description.roles }

  var shown: CataloguedPlugin {
    CataloguedPlugin(
      name: name, origin: isDevelopment ? .development : .installed, form: form,
      state: isEnabled ? .enabled : .disabled,
      problem: isEnabled ? nil : problem, digest: digest, description: description, installed: installed,
      installedBy: installedBy)
  }
}

/// One line of the catalogue file before its values are checked.
struct CatalogueLine: VarlinkDecodable, VarlinkEncodable {
  var name: String
  var form: String
  var digest: String
  var enabled: Bool
  var problem: String?
  var development: Bool
  var installed: Int64
  var installedBy: Int64
  var description: Plugin.Describe.Reply

  init(from reader: inout JSONReader) throws(VarlinkError) {
    var (name, form, digest): (String?, String?, String?)
    var (enabled, development): (Bool?, Bool?)
    var (installed, installedBy): (Int64?, Int64?)
    var (problem, description): (String??, Plugin.Describe.Reply?)
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) {
      if try reader.read("name", 0, &scope, into: &name) { continue }
      if try reader.read("form", 1, &scope, into: &form) { continue }
      if try reader.read("digest", 2, &scope, into: &digest) { continue }
      if try reader.read("enabled", 3, &scope, into: &enabled) { continue }
      if try reader.read("problem", 4, &scope, into: &problem) { continue }
      if try reader.read("development", 5, &scope, into: &development) { continue }
      if try reader.read("installed", 6, &scope, into: &installed) { continue }
      if try reader.read("installedBy", 7, &scope, into: &installedBy) { continue }
      if try reader.read("description", 8, &scope, into: &description) { continue }
      try reader.unknownField(&scope)
    }
    (self.name, self.form, self.digest) = (
      try name.required("name"), try form.required("form"), try digest.required("digest")
    )
    (self.enabled, self.problem, self.development) = (
      try enabled.required("enabled"), problem ?? nil, development ?? false
    )
    self.installed = try installed.required("installed")
    self.installedBy = try installedBy.required("installedBy")
    self.description = try description.required("description")
  }

  init(_ plugin: InstalledPlugin) {
    (name, form, digest) = (plugin.name, plugin.form.rawValue, plugin.digest)
    (enabled, problem, development) = (plugin.isEnabled, plugin.problem, plugin.isDevelopment)
    (installed, installedBy) = (plugin.installed, plugin.installedBy)
    description = plugin.description.reply
  }

  func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("name", name)
    writer.field("form", form)
    writer.field("digest", digest)
    writer.field("enabled", enabled)
    writer.field("problem", problem)
    writer.field("development", development)
    writer.field("installed", installed)
    writer.field("installedBy", installedBy)
    writer.field("description", description)
    writer.endObject()
  }

  /// - Throws: the problem of the line, in words for a person who edited it.
  func plugin() throws(PluginFailure) -> InstalledPlugin {
    guard PluginFinder.isName(name) else {
      throw PluginFailure(.failed, "\"name\" must be 1 to 64 of a-z, 0-9 and hyphen")
    }
    guard let form = PluginForm(rawValue: form) else {
      throw PluginFailure(.failed, "\"form\" must be object or program")
    }
    guard PluginDigest.isDigest(digest) else {
      throw PluginFailure(.failed, "\"digest\" must be the SHA-256 of its file, 64 of 0-9 and a-f")
    }
    let description = try PluginDescription(checking: description)
    var plugin = InstalledPlugin(
      name: name, form: form, digest: digest, installed: installed, installedBy: installedBy, description: description)
    (plugin.isEnabled, plugin.isDevelopment) = (enabled, development)
    plugin.problem = problem
    return plugin
  }
}
