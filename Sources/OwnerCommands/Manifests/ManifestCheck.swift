import Limits
import Varlink

/// Checks an app's manifest against the adoption steps of the limited library (R117 to R120): need,
/// status, affordance, suppression key.
struct ManifestCheck {
  private let manifest: JSONObject
  private(set) var findings: [Finding] = []

  init(_ manifest: JSONObject) {
    self.manifest = Self.withoutNulls(manifest, at: ManifestKey.all)
    checkManifest()
    checkNeed()
    checkLocalizations()
    checkStatus()
    checkAffordance()
  }

  var hasPassed: Bool { !findings.contains { $0.severity == .error } }

  private mutating func add(_ severity: Finding.Severity, _ step: Finding.Step, _ message: String) {
    findings.append(Finding(severity: severity, step: step, message: message))
  }

  private mutating func checkManifest() {
    switch manifest[ManifestKey.identifier] ?? manifest[ManifestKey.bundleIdentifier] {
    case .string(let text)? where Self.isIdentifier(text): add(.ok, .manifest, "identifier is \(text).")
    case .string?:
      add(
        .error, .manifest,
        "identifier must have 1 to \(BrokerLimits.appNameBytes) of a-z, A-Z, 0-9, dot, hyphen, underscore.")
    case nil:
      add(.error, .manifest, "identifier is missing; take a name of your domain, for instance org.example.journal.")
    default: add(.error, .manifest, "identifier must be text.")
    }
    switch manifest[ManifestKey.name] ?? manifest[ManifestKey.bundleDisplayName] ?? manifest[ManifestKey.bundleName] {
    case .string(let text)?:
      if text.isBlank {
        add(.error, .manifest, "name is blank; people are shown it in every question.")
      } else if text.utf8.count > BrokerLimits.appNameBytes {
        add(.error, .manifest, "name is longer than \(BrokerLimits.appNameBytes) bytes.")
      } else if !text.isShowableAsName {
        add(.error, .manifest, "name holds control, direction or hidden characters; the broker refuses them.")
      } else if text.isNameOfBroker {
        add(.error, .manifest, "name is the broker's own, which it refuses; choose another one.")
      }
    case nil:
      add(
        .warning, .manifest,
        "name is missing, and so are CFBundleDisplayName and CFBundleName; people are shown the identifier in every "
          + "question."
      )
    default: add(.error, .manifest, "name must be text.")
    }
    for key in [ManifestKey.hasScreen, ManifestKey.suppression, ManifestKey.readOnly] {
      switch manifest[key] {
      case nil, .bool?: break
      default:
        add(.error, key == ManifestKey.suppression ? .suppressionKey : .manifest, "\(key) must be true or false.")
      }
    }
    for entry in manifest.entries where !ManifestKey.all.contains(entry.key) {
      let hint = NearestWord.hint(for: entry.key, among: ManifestKey.all) ?? "It is ignored."
      add(.warning, .manifest, "\(entry.key) is not a key of the manifest. \(hint)")
    }
  }

  private mutating func checkNeed() {
    add(
      .advice, .need,
      "Start from the picker: an app that is handed single photos needs no access to a library, and asks for none.")
    let levels = [(ManifestKey.addUsage, "addOnly"), (ManifestKey.usage, "readWrite")]
    var declared = 0
    for (key, level) in levels {
      guard let value = manifest[key] else { continue }
      declared += 1
      if checkDescription(value, at: key) { add(.ok, .need, "\(key) says why \(level) is asked for.") }
    }
    if declared == 0 {
      add(
        .warning, .need,
        "Neither \(ManifestKey.usage) nor \(ManifestKey.addUsage) is there: every access to a library fails and "
          + "closes the connection. This is right for an app that uses the picker only."
      )
    } else if manifest[ManifestKey.usage] != nil {
      add(
        .advice, .need, "An app that only saves pictures asks for addOnly, and declares \(ManifestKey.addUsage) alone.")
    }
  }

  /// Checks one usage description, and returns whether it is valid.
  private mutating func checkDescription(_ value: JSONValue, at place: String) -> Bool {
    guard case .string(let text) = value else {
      add(.error, .need, "\(place) must be text.")
      return false
    }
    if text.isBlank {
      add(
        .error, .need,
        "\(place) is blank, which counts as missing: asking at that level closes the connection. Say what the photos "
          + "are for."
      )
    } else if text.utf8.count > BrokerLimits.usageDescriptionBytes {
      add(.error, .need, "\(place) is longer than \(BrokerLimits.usageDescriptionBytes) bytes.")
    } else if !text.isShowable(allowsLines: true) {
      add(.error, .need, "\(place) holds control or direction characters; the broker refuses them.")
    } else {
      return true
    }
    return false
  }

  private mutating func checkLocalizations() {
    var region: String?
    switch manifest[ManifestKey.region] {
    case nil: break
    case .string(let tag)? where Self.isLanguageTag(tag): region = tag.lowercased()
    case .string?:
      add(.warning, .need, "\(ManifestKey.region) is not a language tag such as en or pt-BR, and is ignored.")
    default: add(.error, .need, "\(ManifestKey.region) must be text.")
    }
    guard let value = manifest[ManifestKey.localizations] else { return }
    guard case .object(let languages) = value else {
      return add(.error, .need, "localizations must be an object: {\"de\": {\"\(ManifestKey.usage)\": \"...\"}}.")
    }
    let tags = Set(languages.entries.map { $0.key.lowercased() } + [region].compactMap { $0 })
    if tags.count > BrokerLimits.usageDescriptionLanguages {
      add(.error, .need, "localizations has more than \(BrokerLimits.usageDescriptionLanguages) languages.")
    }
    // Without the default texts' language, a reader of both languages sees a translation first.
    if region == nil, !languages.entries.isEmpty, !languages.entries.contains(where: { holdsDefaults($0.value) }) {
      add(
        .advice, .need,
        "Name the language of the default texts, by \(ManifestKey.region) or by putting them into localizations too. "
          + "People who prefer it then see them before a translation."
      )
    }
    for language in languages.entries {
      let place = "localizations.\(language.key)"
      if !Self.isLanguageTag(language.key) { add(.error, .need, "\(place): a language is a tag such as de or pt-BR.") }
      guard case .object(let given) = language.value else {
        add(.error, .need, "\(place) must be an object of keys and texts.")
        continue
      }
      let texts = Self.withoutNulls(given, at: ManifestKey.localizable)
      for text in texts.entries {
        guard ManifestKey.localizable.contains(text.key) else {
          let hint = NearestWord.hint(for: text.key, among: ManifestKey.localizable).map { " \($0)" } ?? ""
          add(.warning, .need, "\(place).\(text.key) cannot be translated.\(hint)")
          continue
        }
        if case .string(let translated) = text.value, translated.isBlank {
          add(.warning, .need, "\(place).\(text.key) is blank; people with this language see the default text.")
        } else {
          _ = checkDescription(text.value, at: "\(place).\(text.key)")
        }
        if manifest[text.key] == nil {
          add(.error, .need, "\(place).\(text.key) is translated, and the default text \(text.key) is missing.")
        }
      }
      for key in [ManifestKey.usage, ManifestKey.addUsage] where manifest[key] != nil && texts[key] == nil {
        add(.warning, .need, "\(place) lacks \(key); people with this language see the default text.")
      }
    }
  }

  private func holdsDefaults(_ localization: JSONValue) -> Bool {
    guard case .object(let texts) = localization else { return false }
    return ManifestKey.localizable.allSatisfy { texts[$0] == manifest[$0] }
  }

  private mutating func checkStatus() {
    guard manifest[ManifestKey.usage] != nil else { return }
    add(
      .advice, .status,
      "Ask for the status of a level, expect limited, and treat a status that you do not know as denied.")
    add(.advice, .status, "Request access when a person does something that needs it, not at start.")
  }

  private mutating func checkAffordance() {
    guard manifest[ManifestKey.usage] != nil else { return }
    let hasScreen = manifest[ManifestKey.hasScreen] != .bool(false)
    if hasScreen {
      add(
        .advice, .affordance,
        "Offer a button that opens the selection page while the status is limited, and observe changes.")
    } else {
      add(
        .ok, .affordance,
        "An app without a screen is not asked at its start; the owner changes the selection in settings.")
    }
    switch (manifest[ManifestKey.suppression], hasScreen) {
    case (.bool(true)?, true):
      add(
        .advice, .suppressionKey,
        "\(ManifestKey.suppression) is true: people change the selection only by your own button, so there must be one."
      )
    case (.bool(true)?, false):
      add(.advice, .suppressionKey, "\(ManifestKey.suppression) changes nothing for an app without a screen.")
    default:
      add(
        .advice, .suppressionKey,
        "People are asked once in each run whether to keep the selection. With a button of your own, set "
          + "\(ManifestKey.suppression) to true."
      )
    }
  }

  /// Removes nulls at known keys, which the broker treats as absent.
  private static func withoutNulls(_ object: JSONObject, at keys: [String]) -> JSONObject {
    var rest = object
    for key in keys where rest[key] == .null { rest[key] = nil }
    return rest
  }

  private static func isIdentifier(_ text: String) -> Bool {
    (1...BrokerLimits.appNameBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2E, 0x2D, 0x5F: true
        default: false
        }
      }
  }

  private static func isLanguageTag(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first, (2...3).contains(first.utf8.count) else { return false }
    return parts.allSatisfy { part in
      (1...8).contains(part.utf8.count)
        && part.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
    }
  }
}
