import Broker
import Glibc
import MediaClient
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit

/// Makes real processes: plugins in their hosts, unless they are trusted, and media workers for
/// each library.
final class ProcessFactory {
  private let plugins: PluginCatalogue
  private let programDirectory: String
  private let cleanerProgram: String
  private let limits: PluginAllowance
  let defaultCloudMapping: String
  let credentials: CredentialFiles

  init(_ configuration: Configuration, _ plugins: PluginCatalogue) {
    self.plugins = plugins
    defaultCloudMapping = configuration.cloudMapping
    credentials = CredentialFiles(stateDirectory: configuration.stateDirectory)
    limits = configuration.pluginLimits
    cleanerProgram = configuration.programDirectory + "/photobroker-clean"
    programDirectory = configuration.programDirectory
  }

  /// Blocks, so it is called on a worker only.
  /// - Parameter secrets: The storage's secret options. Nil: the stored ones.
  func storage(for library: LibraryRecord, secrets: [String: String]?) throws(StorageFailure) -> PluginStorage {
    let known = if let secrets { secrets } else { try credentials.read(library.name) }
    let pins = FolderPins(library.options)
    let settings = PluginSettings(options: library.options, secrets: known, pins: pins, owner: Self.guest(library))
    do throws(PluginFailure) {
      let name = library.backend
      switch try plugins.place(of: PluginRole(.storage, name)) {
      case .process(let program):
        return PluginStorage(IsolatedStorage(name: name, settings: settings, limits: limits, program: program), pins)
      case .daemon(let object):
        return PluginStorage(TrustedStorage(name: name, settings: settings, limits: limits, object: object), pins)
      }
    } catch {
      throw StorageFailure(error)
    }
  }

  /// The owner of a library if none of its folders belong to them, else nil. Also nil for root and
  /// the broker's user, who have access to all folders anyway.
  private static func guest(_ library: LibraryRecord) -> UInt32? {
    guard library.owner != 0, library.owner != geteuid() else { return nil }
    let isHost = library.options.values.contains { path in
      var facts = stat()
      return path.hasPrefix("/") && stat(path, &facts) == 0 && facts.st_uid == library.owner
    }
    return isHost ? nil : library.owner
  }

  /// Paths of which one must contain the library's folder: the path options of a storage that is
  /// not bundled. Nil: the storage names its folder itself.
  func places(of library: LibraryRecord) -> [String]? {
    guard let options = plugins.installedOptions(of: PluginRole(.storage, library.backend)) else { return nil }
    let paths = options.filter { $0.kind == .path }
    return paths.isEmpty ? nil : paths.compactMap { library.options[$0.name] ?? $0.defaultValue }
  }

  func media(for library: LibraryRecord) -> any LibraryMedia {
    let folder = programDirectory
    let media = WorkerMedia { MediaClient(programs: folder) }
    return media.unavailable.map { NoMedia($0) } ?? media
  }

  /// A cleaner for one library's files; its process starts with the first call.
  func cleaner() -> WorkerCleaner { WorkerCleaner(program: cleanerProgram) }

  func cloudMapping(for library: LibraryRecord) -> PluginCloudMapping {
    PluginCloudMapping(
      library.plugins.cloudMapping ?? defaultCloudMapping, PluginSettings(options: library.plugins.mappingOptions),
      plugins)
  }

  func albumPolicies(for library: LibraryRecord) -> PluginAlbumPolicies {
    PluginAlbumPolicies(plugins, options: library.plugins.policyOptions)
  }
}
