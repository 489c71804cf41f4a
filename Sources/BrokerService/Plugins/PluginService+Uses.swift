import Broker
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit

extension PluginService {
  /// What a library has one of a plugin's offers set up with.
  struct Use: Sendable {
    let library: LibraryName
    let role: PluginRole
    /// As it is.
    let options: [String: String]
    /// What is set for another version; an empty value takes an option away.
    var edits: [String: String] = [:]

    init(library: LibraryName, role: PluginRole, options: [String: String]) {
      (self.library, self.role, self.options) = (library, role, options)
    }

    private var edited: [String: String] { options.merging(edits) { $1 }.filter { edits[$0.key] != "" } }

    func entry(_ candidate: PluginCatalogue.Candidate) -> PluginDescription.Entry? {
      candidate.description.entries.first { $0.kind == role.kind && $0.name == role.name }
    }

    /// Whether an option is one of it, or was.
    func takes(_ option: String, _ candidate: PluginCatalogue.Candidate) -> Bool {
      options[option] != nil || entry(candidate)?.options.contains { $0.name == option } ?? false
    }

    /// Whether the version before has an option as well, and the new one takes what it is set to:
    /// then an upgrade has no need to change it, which is its library's owner's to do.
    func keeps(_ option: String, _ candidate: PluginCatalogue.Candidate) -> Bool {
      let former = candidate.former?.description.entries.first { $0.kind == role.kind && $0.name == role.name }
      guard let before = former?.options.first(where: { $0.name == option }),
        let after = entry(candidate)?.options.first(where: { $0.name == option }), !after.isSecret
      else { return false }
      return (options[option] ?? before.defaultValue).map(after.allows) ?? after.isOptional
    }

    /// What is to be kept, and what takes it back; nil where nothing is.
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

    /// Checks what libraries would have another version set up with, and starts it with that.
    /// - Throws: `unsupported` where it does not take these settings, or does not start with them,
    ///   naming the library and what to do.
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
        let given = misfits.flatMap(\.needs)
        let way =
          given.isEmpty
          ? "An upgrade gives no secret: the new version has to let it be left out."
          : "Give it with the upgrade: photobroker plugin install FILE --upgrade \(given.map { "--option \($0)" }.joined(separator: " "))"
        throw PluginFailure(.unsupported, "\(first.words) \(way)")
      }
      for (use, settings) in uses where use.entry(candidate) != nil {
        do throws(PluginFailure) { try catalogue.tryStart(candidate, use.role, settings) } catch {
          throw PluginFailure(
            .unsupported,
            "This version's \(use.role) does not start with what library \(use.library) is set up with: \(error.message)"
          )
        }
      }
    }

    private struct Misfit {
      var words: String
      /// What is to be given with the upgrade, as `--option` takes it.
      var needs: [String]
    }

    private func misfit(_ candidate: PluginCatalogue.Candidate, _ settings: PluginSettings) -> Misfit? {
      guard let entry = entry(candidate) else { return nil }
      let words: String
      do throws(PluginFailure) {
        _ = try settings.checked(for: entry.options)
        return nil
      } catch {
        words = "This version's \(role) does not take what library \(library) is set up with: \(error.message)"
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
  /// A change of what a library is set up with, and the way back.
  struct Setup {
    var before: LibrarySetup
    var after: LibrarySetup
  }
}

extension PluginService.Use.Setup {
  /// Those of one library as one; nil of none.
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
  /// Adds what another one says of other plugins.
  fileprivate mutating func join(_ other: Self) {
    options = options ?? other.options
    mappingOptions = mappingOptions ?? other.mappingOptions
    policyOptions.merge(other.policyOptions) { $1 }
  }
}
