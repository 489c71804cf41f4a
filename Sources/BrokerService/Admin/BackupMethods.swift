import Broker
import BrokerInterface
import BrokerStore
import PluginCatalogue
import UnixSocket

/// Copies of the state.
struct BackupMethods {
  private unowned let core: ServiceCore

  init(core: ServiceCore) { self.core = core }

  @MethodRows var methods: [Method] { Method(Admin.BackUp.self, .administration(backUp)) }

  /// The state holds everybody's data and keys, so it goes only to users who can read the files
  /// themselves.
  private func backUp(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.BackUp.Parameters = try call.parameters()
    guard session.uid == 0 || session.uid == core.uid else {
      throw .notPermitted("Only root or the broker's own user may copy the state: it holds everybody's keys. Use sudo.")
    }
    guard core.configuration.sandbox == nil else {
      throw .notPermitted("A sandbox has no backup: its keys are predictable, and no real broker may use them.")
    }
    let files = FilesBeside(core)
    try core.plugins.work {
      files.notes()
    } then: { notes in
      copy(notes, for: call)
    }
  }

  /// The files that a backup leaves out: plugins and libraries' secrets. The backup lists their
  /// names.
  private struct FilesBeside: Sendable {
    let catalogue: PluginCatalogue
    let credentials: CredentialFiles
    let libraries: [LibraryName]

    init(_ core: ServiceCore) {
      (catalogue, credentials) = (core.plugins.catalogue, core.factory.credentials)
      libraries = core.broker.libraries.keys.sorted()
    }

    /// Blocks, so it is called on a worker only.
    func notes() -> [BackupNote] {
      let plugins = catalogue.installed.map { BackupNote(.plugin, name: $0.name, value: $0.digest ?? "") }
      return plugins
        + libraries.compactMap { library in
          let secrets = (try? credentials.read(library))?.keys.sorted() ?? []
          return secrets.isEmpty
            ? nil : BackupNote(.credentials, name: "\(library)", value: secrets.joined(separator: ","))
        }
    }
  }

  private func copy(_ notes: [BackupNote], for call: IncomingCall) {
    core.backUp(notes) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let failure): call.fail(BrokerError(failure.code == .refused ? .refused : .failed, failure.message))
      case .success(let file):
        do throws(UnixSocketError) {
          let descriptor = try FileDescriptor(result: file.duplicate(), of: "Handing over the backup")
          call.reply(Admin.BackUp.Reply(descriptor: 0, size: file.size), descriptors: SharedDescriptors(descriptor))
        } catch {
          call.fail(BrokerError(.failed, "The broker has too many files open; try again in a moment."))
        }
      }
    }
  }
}
