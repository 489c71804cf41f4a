import Broker
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit
import Synchronization

/// Album policy plugins, with processes of this library alone. Every call but `renew` and `stop`
/// blocks and belongs on a worker.
final class PluginAlbumPolicies: Sendable {
  private let plugins: PluginCatalogue
  private let options: [String: [String: String]]
  private let running = Mutex<[String: any AlbumPolicyPlugin]>([:])

  init(_ plugins: PluginCatalogue, options: [String: [String: String]]) {
    self.plugins = plugins
    self.options = options
  }

  /// Asks a policy.
  /// - Throws: If it does not answer; no album is visible then (R136).
  func access(_ policy: String, _ question: AlbumQuestion) throws(StorageFailure) -> AlbumAccess {
    let albums = question.albums.map {
      AlbumPolicyQuestion.Album(
        identifier: $0.identifier, title: $0.title, isOwn: $0.creator == question.app, isShared: $0.isShared,
        source: $0.source)
    }
    let asked = AlbumPolicyQuestion(isLimited: question.isLimited, albums: albums)
    let answer: AlbumPolicyAnswer
    do throws(PluginFailure) { answer = try plugin(policy).decide(asked) } catch { throw StorageFailure(error) }
    return AlbumAccess(visible: .only(answer.visible), editable: .only(answer.editable), mayCreate: answer.mayCreate)
  }

  /// Checks that a policy can be chosen. One that is installed and does not answer can be: it shows
  /// no albums until it does.
  /// - Parameter asks: Whether its process is started to check its options.
  /// - Throws: `unsupported` if it is not installed, with the installed ones; or if its options are
  ///   invalid, with the allowed ones.
  func check(_ policy: String, asks: Bool) throws(StorageFailure) {
    do throws(PluginFailure) {
      let plugin = try plugin(policy)
      if asks { _ = try plugin.decide(AlbumPolicyQuestion(isLimited: true, albums: [])) }
    } catch {
      switch error.code {
      case .unsupported:
        let there = plugins.plugins().filter { $0.state == .enabled }.flatMap { $0.description?.roles ?? [] }
          .filter { $0.kind == .albumPolicy }.map(\.name).sorted().joined(separator: ", ")
        throw StorageFailure(
          .unsupported, .policyUnusable,
          "No album policy \"\(policy)\" can be used; installed are: "
            + "\(there.isEmpty ? "none at all" : there). (\(error.message))", ["policy": policy])
      case .invalidOption: throw StorageFailure(error)
      default: return
      }
    }
  }

  private func plugin(_ policy: String) throws(PluginFailure) -> any AlbumPolicyPlugin {
    if let known = running.withLock({ $0[policy] }) { return known }
    let settings = PluginSettings(options: options[policy] ?? [:])
    let made: any AlbumPolicyPlugin =
      switch try plugins.place(of: PluginRole(.albumPolicy, policy)) {
      case .process(let program): IsolatedAlbumPolicy(name: policy, settings: settings, program: program)
      case .daemon(let object): TrustedAlbumPolicy(name: policy, settings: settings, object: object)
      }
    return running.withLock { table in
      if let other = table[policy] { return other }
      table[policy] = made
      return made
    }
  }

  /// Restarts the policies of these names at the next question, because their plugin was replaced,
  /// installed or removed. A running question is still answered by the old process, which then ends.
  func renew(_ names: Set<String>) { running.withLock { table in for name in names { table[name] = nil } } }

  func stop() { for plugin in running.withLock({ $0.values.map { $0 } }) { plugin.stop() } }
}

/// A question to an album policy. It names no photo, and of the app only its identifier.
struct AlbumQuestion: Sendable {
  var app: AppIdentifier
  var isLimited: Bool
  var albums: [AlbumRecord]
}
