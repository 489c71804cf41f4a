import PluginCatalogue
import PluginHost
import PluginKit
import Synchronization

/// A cloud mapping plugin in a process of its own, found when it is needed first.
final class PluginCloudMapping: LibraryCloudMapping {
  private let name: String
  private let settings: PluginSettings
  private let plugins: PluginCatalogue
  private let plugin = Mutex<IsolatedCloudMapping?>(nil)

  init(_ name: String, _ settings: PluginSettings, _ plugins: PluginCatalogue) {
    self.name = name
    self.settings = settings
    self.plugins = plugins
  }

  func check() throws(StorageFailure) {
    do throws(PluginFailure) { try isolated().start() } catch { throw StorageFailure(error) }
  }

  func names(of items: [CloudItem], application: String) throws(StorageFailure) -> [String?] {
    do { return try isolated().cloudIdentifiers(for: items, application: application) } catch { throw StorageFailure(error) }
  }

  private func isolated() throws(PluginFailure) -> IsolatedCloudMapping {
    if let known = plugin.withLock({ $0 }) { return known }
    let made = IsolatedCloudMapping(name: name, settings: settings, program: try plugins.program(for: PluginRole(.cloudMapping, name)))
    return plugin.withLock { known in
      if let known { return known }
      known = made
      return made
    }
  }

  func renew() { plugin.withLock { $0 = nil } }

  func stop() { plugin.withLock { $0 }?.stop() }
}
