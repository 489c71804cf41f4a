import PluginCatalogue
import PluginHost
import PluginKit
import Synchronization

final class PluginCloudMapping: LibraryCloudMapping {
  private let name: String
  private let settings: PluginSettings
  private let plugins: PluginCatalogue
  private let plugin = Mutex<(any CloudMappingPlugin)?>(nil)

  init(_ name: String, _ settings: PluginSettings, _ plugins: PluginCatalogue) {
    self.name = name
    self.settings = settings
    self.plugins = plugins
  }

  func check() throws(StorageFailure) {
    do throws(PluginFailure) { try running().start() } catch { throw StorageFailure(error) }
  }

  func names(of items: [CloudItem], application: String) throws(StorageFailure) -> [String?] {
    do { return try running().cloudIdentifiers(for: items, application: application) } catch {
      throw StorageFailure(error)
    }
  }

  private func running() throws(PluginFailure) -> any CloudMappingPlugin {
    if let known = plugin.withLock({ $0 }) { return known }
    let made: any CloudMappingPlugin =
      switch try plugins.place(of: PluginRole(.cloudMapping, name)) {
      case .process(let program): IsolatedCloudMapping(name: name, settings: settings, program: program)
      case .daemon(let object): TrustedCloudMapping(name: name, settings: settings, object: object)
      }
    return plugin.withLock { known in
      if let known { return known }
      known = made
      return made
    }
  }

  func renew() { plugin.withLock { $0 = nil } }

  func stop() { plugin.withLock { $0 }?.stop() }
}
