import PluginCatalogue
import PluginHost
import PluginKit
import Synchronization

/// A library's cloud mapping, whose plugin runs in a process of the library's own. The process starts
/// with the first call.
final class PluginCloudMapping: Sendable {
  private let name: String
  private let settings: PluginSettings
  private let plugins: PluginCatalogue
  private let plugin = Mutex<(any CloudMappingPlugin)?>(nil)

  init(_ name: String, _ settings: PluginSettings, _ plugins: PluginCatalogue) {
    self.name = name
    self.settings = settings
    self.plugins = plugins
  }

  /// Checks that the plugin starts with its options. Blocks, so it is called on a worker only.
  /// - Throws: The reason, with the option and its allowed values.
  func check() throws(StorageFailure) {
    do throws(PluginFailure) { try running().start() } catch { throw StorageFailure(error) }
  }

  /// A name for each item, in order; nil for an item without one. Blocks, so it is called on a
  /// worker only.
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

  /// Restarts the plugin at the next call, because it was replaced, installed or removed.
  func renew() { plugin.withLock { $0 = nil } }

  func stop() { plugin.withLock { $0 }?.stop() }
}
