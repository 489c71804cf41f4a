package import PluginKit

package final class TrustedCloudMapping: CloudMappingPlugin {
  private let plugin: TrustedPlugin

  package init(name: String, settings: PluginSettings = PluginSettings(), object: TrustedObject) {
    plugin = TrustedPlugin(.cloudMapping, name: name, settings: settings, of: object) {
      () throws(PluginError) -> AnyObject in
      try object.registry.makeMapping(name, options: settings.options, secrets: settings.secrets)
    }
  }

  package func start() throws(PluginFailure) { _ = try names(of: [], application: "", deadline: .seconds(10)) }

  package func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginFailure) -> [String?] {
    var found: [String?] = []
    found.reserveCapacity(items.count)
    while found.count < items.count {
      let piece = Array(items[found.count..<min(found.count + IsolatedCloudMapping.batch, items.count)])
      let names = try names(of: piece, application: application, deadline: .seconds(30))
      guard names.count == piece.count else {
        throw PluginFailure(
          .failed, "cloudMapping(\(plugin.name)): It answered for \(names.count) items instead of \(piece.count).")
      }
      guard !names.contains("") else {
        throw PluginFailure(
          .failed,
          "cloudMapping(\(plugin.name)): It named an item with an empty text. Return nil for an item without a name.")
      }
      found += names.map { name in name.flatMap { IsolatedCloudMapping.isName($0.utf8) ? $0 : nil } }
    }
    return found
  }

  private func names(of items: [CloudItem], application: String, deadline: Duration) throws(PluginFailure) -> [String?]
  {
    try plugin.call(deadline: deadline) { (object, _) throws(PluginError) -> [String?] in
      guard let mapping = object as? any CloudMapping else { throw PluginError(.failed, "It is not a cloud mapping.") }
      return try mapping.cloudIdentifiers(for: items, application: application)
    }
  }

  package func stop() { plugin.stop() }
}
