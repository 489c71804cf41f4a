import BrokerInterface
import PhotoModel
package import PluginKit
package import Supervisor

package final class IsolatedCloudMapping: Sendable {
  /// The protocol's limit of items in one call.
  static let batch = 1_000

  private let plugin: IsolatedPlugin
  private let refusals: RefusalNotes

  package init(name: String, settings: PluginSettings = PluginSettings(), program: ChildOptions) {
    plugin = IsolatedPlugin(.cloudMapping, name: name, settings: settings, program: program)
    refusals = RefusalNotes(program.journal)
  }

  /// Returns a name for each item, in order; nil if the mapping has none or its name breaks the
  /// limits.
  /// - Throws: the plugin's error; `failed` if it answered with another number of names.
  package func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginFailure) -> [String?] {
    var found: [String?] = []
    found.reserveCapacity(items.count)
    while found.count < items.count {
      let piece = items[found.count..<min(found.count + Self.batch, items.count)]
      let reply = try plugin.call(
        Plugin.NameItems.self,
        .init(application: application, items: piece.map { Plugin.CloudItem($0) }),
        deadline: .seconds(30))
      guard reply.names.count == piece.count else {
        throw PluginFailure(
          .failed, "cloudMapping(\(plugin.name)): It answered for \(reply.names.count) items instead of \(piece.count)."
        )
      }
      let refused = reply.names.count { !$0.isEmpty && !Self.isName($0.utf8) }
      refusals.note(
        refused == 0
          ? nil
          : "\(refused) of its \(piece.count) names are refused. Use 1 to 256 bytes of visible ASCII, without spaces."
      )
      found += reply.names.map { Self.isName($0.utf8) ? $0 : nil }
    }
    return found
  }

  package func start() throws(PluginFailure) {
    _ = try plugin.call(Plugin.NameItems.self, .init(application: "", items: []), deadline: .seconds(10))
  }

  static func isName(_ bytes: String.UTF8View) -> Bool {
    (1...256).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7e).contains($0) }
  }

  package func stop() { plugin.stop() }
}

extension Plugin.CloudItem {
  fileprivate init(_ item: CloudItem) {
    switch item {
    case .asset(let digest): self.init(digest: Hex.text(digest))
    case .album(let title, let created): self.init(title: title, created: created.microseconds)
    }
  }
}
