import Broker
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit

extension PluginService {
  /// A library's settings for one role of a plugin.
  struct Use: Sendable {
    let library: LibraryName
    let role: PluginRole
    let options: [String: String]
    /// Options to change for a new version; an empty value removes an option.
    var edits: [String: String] = [:]

    init(library: LibraryName, role: PluginRole, options: [String: String]) {
      (self.library, self.role, self.options) = (library, role, options)
    }

    private var edited: [String: String] { options.merging(edits) { $1 }.filter { edits[$0.key] != "" } }

    func entry(_ candidate: PluginCatalogue.Candidate) -> PluginDescription.Entry? {
      candidate.description.entries.first { $0.kind == role.kind && $0.name == role.name }
    }

    /// Whether the role has this option, or the library a value for it.
    func takes(_ option: String, _ candidate: PluginCatalogue.Candidate) -> Bool {
      options[option] != nil || entry(candidate)?.options.contains { $0.name == option } ?? false
    }

    /// Whether the former version has the option too, and the new one accepts its present value. An
    /// upgrade must not change it then; that is for the library's owner to do.
    func keeps(_ option: String, _ candidate: PluginCatalogue.Candidate) -> Bool {
      let former = candidate.former?.description.entries.first { $0.kind == role.kind && $0.name == role.name }
      guard let before = former?.options.first(where: { $0.name == option }),
        let after = entry(candidate)?.options.first(where: { $0.name == option }), !after.isSecret
      else { return false }
      return (options[option] ?? before.defaultValue).map(after.allows) ?? after.isOptional
    }

    /// The change of settings and the way back; nil if nothing changes.
    var setup: Setup? {
      guard !edits.isEmpty else { return nil }
      let before = Dictionary(uniqueKeysWithValues: edits.keys.map { ($0, options[$0] ?? "") })
      return Setup(before: setup(before), after: setup(edits))
    }

    private func setup(_ edits: [String: String]) -> LibrarySetup {
      switch role.kind {
      case .storage: LibrarySetup(options: edits)
      case .cloudMapping: LibrarySetup(mappingOptions: edits)
      case .albumPolicy: LibrarySetup(policyOptions: [role.name: edits])
      }
    }

    /// Checks libraries' settings against another version, and starts it with them.
    /// - Throws: `unsupported` if it rejects the settings or does not start with them. The message
    ///   names the library and the remedy.
    static func check(
      _ uses: [Use], _ candidate: PluginCatalogue.Candidate, _ catalogue: PluginCatalogue,
      _ credentials: CredentialFiles
    ) throws(PluginFailure) {
      let uses = uses.map { use in
        let secrets = use.role.kind == .storage ? (try? credentials.read(use.library)) ?? [:] : [:]
        return (use: use, settings: PluginSettings(options: use.edited, secrets: secrets))
      }
      let misfits = uses.compactMap { $0.use.misfit(candidate, $0.settings) }
      if let first = misfits.first {
        let given = misfits.flatMap(\.needs).map { "--option \($0)" }.joined(separator: " ")
        let way =
          given.isEmpty
          ? "An upgrade cannot set a secret: the new version has to make it optional."
          : "Give it with the upgrade: photobroker plugin install FILE --upgrade \(given)"
        throw PluginFailure(.unsupported, "\(first.words) \(way)")
      }
      for (use, settings) in uses where use.entry(candidate) != nil {
        do throws(PluginFailure) { try catalogue.tryStart(candidate, use.role, settings) } catch {
          throw PluginFailure(
            .unsupported,
            "This version's \(use.role) does not start with the settings of library \(use.library): \(error.message)"
          )
        }
      }
    }

    private struct Misfit {
      var words: String
      /// Options to give with the upgrade, in the form of `--option`.
      var needs: [String]
    }

    private func misfit(_ candidate: PluginCatalogue.Candidate, _ settings: PluginSettings) -> Misfit? {
      guard let entry = entry(candidate) else { return nil }
      let words: String
      do throws(PluginFailure) {
        _ = try settings.checked(for: entry.options)
        return nil
      } catch {
        words = "This version's \(role) does not accept the settings of library \(library): \(error.message)"
      }
      let known = Dictionary(entry.options.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      let gone = settings.options.keys.filter { known[$0]?.isSecret ?? true }.sorted()
      let wrong = entry.options.filter { option in
        !option.isSecret
          && !((settings.options[option.name] ?? option.defaultValue).map(option.allows) ?? option.isOptional)
      }
      return Misfit(words: words, needs: wrong.map { "\(library):\($0.name)=VALUE" } + gone.map { "\(library):\($0)=" })
    }
  }
}

extension PluginService.Use {
  struct Setup {
    var before: LibrarySetup
    var after: LibrarySetup
  }
}

extension PluginService.Use.Setup {
  /// Merges the changes of one library; nil if there are none.
  static func joined(_ setups: [Self]) -> Self? {
    guard var whole = setups.first else { return nil }
    for other in setups.dropFirst() {
      whole.before.join(other.before)
      whole.after.join(other.after)
    }
    return whole
  }
}

extension LibrarySetup {
  /// Adds the settings that another change has for other plugins.
  fileprivate mutating func join(_ other: Self) {
    options = options ?? other.options
    mappingOptions = mappingOptions ?? other.mappingOptions
    policyOptions.merge(other.policyOptions) { $1 }
  }
}
