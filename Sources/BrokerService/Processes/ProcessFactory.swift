import Broker
import MediaClient
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit
import Synchronization

/// Makes real processes: plugins in their hosts, one media worker for each library.
final class ProcessFactory: RuntimeFactory {
  private let plugins: PluginCatalogue
  private let mediaProgram: String
  private let mapping: String
  /// One process for each album policy, whichever library asks: it is told of no photo.
  private let policies = Mutex<[String: IsolatedAlbumPolicy]>([:])

  init(_ configuration: Configuration, _ plugins: PluginCatalogue) {
    self.plugins = plugins
    mapping = configuration.cloudMapping
    mediaProgram = configuration.programDirectory + "/photobroker-media"
  }

  func storage(for library: LibraryRecord) throws(StorageFailure) -> any LibraryStorage {
    do {
      return PluginStorage(
        IsolatedStorage(
          name: library.backend, settings: PluginSettings(options: library.options),
          program: try plugins.program(for: PluginRole(.storage, library.backend))))
    } catch {
      throw StorageFailure(error)
    }
  }

  func media(for library: LibraryRecord) -> any LibraryMedia {
    let client = MediaClient(worker: mediaProgram)
    if let absence = client.absence { return NoMedia(absence.message) }
    return WorkerMedia([client] + (1..<WorkerMedia.processes).map { _ in MediaClient(worker: mediaProgram) })
  }

  func cloudMapping() -> any LibraryCloudMapping { PluginCloudMapping(mapping, plugins) }

  /// A question that is on its way is answered by the process that it was asked; then that process is gone.
  func renewPolicies(_ names: Set<String>) { policies.withLock { table in for name in names { table[name] = nil } } }

  func albumAccess(policy: String, question: AlbumQuestion) -> AlbumAccess? {
    let known = policies.withLock { $0[policy] }
    let plugin: IsolatedAlbumPolicy
    if let known {
      plugin = known
    } else {
      guard let program = try? plugins.program(for: PluginRole(.albumPolicy, policy)) else { return nil }
      let made = IsolatedAlbumPolicy(name: policy, program: program)
      plugin = policies.withLock { table in
        if let other = table[policy] { return other }
        table[policy] = made
        return made
      }
    }
    let albums = question.albums.map {
      AlbumPolicyQuestion.Album(
        identifier: $0.identifier, title: $0.title, isOwn: $0.creator == question.app, isShared: $0.isShared, source: $0.source)
    }
    guard let answer = try? plugin.decide(AlbumPolicyQuestion(isLimited: question.isLimited, albums: albums)) else { return nil }
    return AlbumAccess(visible: .only(answer.visible), editable: .only(answer.editable), mayCreate: answer.mayCreate)
  }
}
