import Broker
import BrokerInterface
import Catalogue
import Indexer
import Macaroons
import PhotoModel

enum AdminRecords {
  static func info(_ runtime: LibraryRuntime, for session: AdminSession) -> Admin.LibraryInfo {
    let record = runtime.library.record
    let isOwner = session.sees(runtime.library)
    // Administrators see the one problem that they can mend: too many photos on this machine.
    let problem =
      isOwner || session.isAdministrator && runtime.status.problem?.code == .photosWait ? runtime.status.problem : nil
    return Admin.LibraryInfo(
      name: record.name.description, owner: Int64(record.owner), coOwners: record.coOwners.sorted().map { Int64($0) },
      administratorsSee: record.administratorsSee, administratorsDecide: record.administratorsDecide,
      sharesOriginals: record.sharesOriginals, appsDelete: record.appsDelete,
      defaultTerms: Admin.Terms(record.defaultTerms, allowance: record.defaultTerms.allowance),
      backend: record.backend,
      options: isOwner ? record.options : nil, credentials: isOwner ? runtime.opened.credentials : nil,
      cloudMapping: runtime.cloud.mappingName,
      cloudMappingIsDefault: record.plugins.cloudMapping == nil,
      cloudMappingOptions: isOwner ? record.plugins.mappingOptions : nil,
      albumPolicies: isOwner ? policies(record) : nil, offeredTo: record.offeredTo.sorted().map { Int64($0) },
      declinedBy: runtime.library.users(.user, .declined).sorted().map { Int64($0) },
      acceptedBy: runtime.library.users(.user, .accepted).union([record.owner]).sorted().map { Int64($0) },
      invited: record.coOwners.subtracting(runtime.library.owners).sorted().map { Int64($0) },
      declinedCoOwners: runtime.library.users(.coOwner, .declined).sorted().map { Int64($0) },
      zoneOffsetMinutes: Int64(record.zoneOffsetMinutes), timeZone: record.zoneName,
      state: runtime.status.state.rawValue,
      problem: problem?.text, problemReason: problem.map { Admin.Reason($0) },
      storageRefuses: runtime.library.refusedByStorage.names,
      assets: Int64(runtime.library.assets.presentCount), revision: isOwner ? runtime.library.changes.revision : nil,
      indexed: Int64(runtime.status.progress.done),
      toIndex: Int64(runtime.status.progress.total), skipped: Int64(runtime.scanner.leftOut.files.count),
      skippedFiles: isOwner ? runtime.scanner.leftOut.files.files().prefix(100).map { Admin.SkippedFile($0) } : nil,
      ignoredNames: isOwner ? runtime.opened.ignoredNames : nil,
      changeDetection: runtime.opened.changeDetection, thumbnails: runtime.opened.media.unavailable,
      awaitingTrash: isOwner ? Int64(runtime.library.trash.awaiting.count) : 0)
  }

  private static func policies(_ record: LibraryRecord) -> [Admin.AlbumPolicySetup] {
    record.plugins.policyOptions.sorted { $0.key < $1.key }.map {
      Admin.AlbumPolicySetup(policy: $0.key, options: $0.value)
    }
  }

  static func app(_ record: AppRecord, connections: Int, for session: AdminSession) -> Admin.AppInfo {
    let tellsBringer = session.isAdministrator || [record.uid, record.registrar].contains(session.uid)
    return Admin.AppInfo(
      app: record.identifier.description, identifier: record.manifest.identifier,
      displayName: record.manifest.displayName,
      uid: Int64(record.uid), verifiedIdentity: record.systemIdentity, executable: record.executable,
      isInterpreter: record.isInterpreter, connections: Int64(connections), introduced: record.introduced.microseconds,
      registeredBy: tellsBringer ? record.bringer.map { Int64($0) } : nil,
      withoutAccess: session.apps.forgotten(record.identifier).map(\.description))
  }

  /// - Parameter saysWords: Whether it includes the words to which a person agreed; for a list of
  ///   all grants these are too long.
  static func grant(_ view: GrantView, saysWords: Bool = false) -> Admin.GrantInfo {
    let agreement = view.agreement.map { agreement in
      Admin.Agreement(
        time: agreement.time.microseconds, actor: Int64(agreement.user), changed: view.otherWords != nil,
        words: saysWords ? Admin.ShownWords(agreement.words) : nil,
        present: saysWords ? view.otherWords.map { Admin.ShownWords($0) } : nil)
    }
    return Admin.GrantInfo(
      library: view.record.key.library.description, app: view.record.key.app.description,
      identifier: view.app.manifest.identifier, level: view.record.key.level.rawValue, status: view.status.name,
      selected: Int64(view.selected), visible: Int64(view.visible), paused: view.record.isPaused,
      expires: view.record.expires?.microseconds,
      albumPolicy: view.record.albumPolicy, origin: view.record.role.rawValue,
      source: view.record.source.rawValue, decider: Int64(view.record.decider),
      program: view.record.origin.isEmpty ? nil : view.record.origin, decided: view.record.decided.microseconds,
      agreement: agreement, resting: view.isResting,
      terms: Admin.Terms(view.record.termsInForce, allowance: view.allowance),
      once: view.record.isOnce, live: LiveForm.shown(view), defaultAllowance: view.isDefaultAllowance)
  }

  /// - Parameter showsSubject: Whether the caller may see an album's title and a rule's selectors.
  static func decision(
    _ entry: KeptDecision, identifier: String?, isUndoable: Bool, wasRemoved: Bool?, showsSubject: Bool,
    photo: Admin.DecidedPhoto?
  ) -> Admin.DecisionInfo {
    let record = entry.record
    var album: String?
    var selectors: [RuleSelector] = []
    switch entry.change?.object {
    case .album(let change) where showsSubject: album = change.latest()?.title
    case .rule(let change) where showsSubject: selectors = change.latest()?.selectors ?? []
    default: break
    }
    return Admin.DecisionInfo(
      decision: Int64(clamping: entry.number), time: record.time.microseconds, actor: Int64(record.actor),
      role: record.role.rawValue, source: record.source.rawValue, origin: record.origin, action: record.action,
      library: record.library?.description, app: record.app?.description, identifier: identifier,
      level: record.level?.rawValue,
      before: record.before, after: record.after, undoes: record.undoes.map { Int64(clamping: $0) },
      undoable: isUndoable,
      albumTitle: album, photo: photo, select: selectors.isEmpty ? nil : selectors.map { RuleForm.shown($0) },
      removed: wasRemoved,
      words: record.words.map { Admin.ShownWords($0) })
  }

  static func place(_ point: GeoPoint) -> Admin.OwnedLocation {
    Admin.OwnedLocation(latitude: point.latitude, longitude: point.longitude)
  }

  /// The photo that a decision changed; nil: none. For the library's owners alone.
  static func photo(_ entry: KeptDecision, in library: LibraryState) -> Admin.DecidedPhoto? {
    guard case .asset(let change) = entry.change?.object, let any = change.latest() else { return nil }
    let row = library.catalogue.row(of: any.asset)
    let fields =
      if let before = change.before, let after = change.after { ValueChange(before, after).edited } else {
        EditedFields.all
      }
    let prefix = "asset "
    return Admin.DecidedPhoto(
      asset: row?.identifier.description ?? String(entry.record.after.dropFirst(prefix.count)),
      filename: row?.fileName,
      before: change.before.map { values($0, fields) }, after: change.after.map { values($0, fields) })
  }

  private static func values(_ values: AssetValues, _ fields: EditedFields) -> Admin.DecidedValues {
    let names: [(EditedFields, String)] = [
      (.favourite, "favorite"), (.creationDate, "creationDate"), (.location, "location"), (.caption, "caption"),
    ]
    return Admin.DecidedValues(
      fields: names.filter { fields.contains($0.0) }.map(\.1),
      favorite: fields.contains(.favourite) ? values.isFavourite : nil,
      creationDate: fields.contains(.creationDate) ? values.date.creation?.microseconds : nil,
      location: fields.contains(.location) ? values.location.map { place($0) } : nil,
      caption: fields.contains(.caption) ? values.caption.flatMap { $0.isEmpty ? nil : $0 } : nil)
  }

  static func prompt(_ view: PromptView, for session: AdminSession) -> Admin.PromptInfo {
    Admin.PromptInfo(
      prompt: view.prompt.identifier.description, kind: view.prompt.kind.rawValue,
      library: view.prompt.key.library.description, app: app(view.app, connections: view.connections, for: session),
      level: view.prompt.key.level.rawValue, usageDescription: view.usageDescription,
      asked: view.prompt.asked.microseconds,
      answers: view.answers.map(\.rawValue), joining: Int64(view.joining), suggested: Int64(view.suggested),
      storageRefuses: view.refusedByStorage.names, readOnly: view.isReadOnly,
      terms: view.terms.map { Admin.Terms($0, allowance: $0.allowance) },
      exceeded: view.prompt.exceeded?.rawValue)
  }

  static func asset(_ row: AssetRow, files: [ResourceRecord] = [], in library: LibraryState) -> Admin.OwnedAsset {
    let deletion = row.flags.contains(.trashed) ? library.trash.deletions[row.number] : nil
    return Admin.OwnedAsset(
      identifier: row.identifier.description, filename: row.fileName, path: files.first?.locator,
      mediaType: row.mediaType.name, creationDate: row.creationDate?.microseconds,
      pixelWidth: Int64(row.width), pixelHeight: Int64(row.height),
      favorite: row.flags.contains(.favourite), hidden: row.flags.contains(.hidden),
      neverShare: row.flags.contains(.neverShare), incomplete: row.subtypes.contains(.incomplete),
      version: Int64(row.version), addedBy: library.assets.creators[row.number]?.description,
      deletedBy: deletion?.app.description,
      deleted: deletion?.time.microseconds, others: files.count > 1 ? files.dropFirst().map(file) : nil)
  }

  static func file(_ file: ResourceRecord) -> Admin.OwnedFile {
    Admin.OwnedFile(role: file.role.rawValue, filename: file.filename)
  }

  static func wholeFile(_ file: ResourceRecord) -> Admin.OwnedFile {
    Admin.OwnedFile(
      role: file.role.rawValue, filename: file.filename, path: file.locator, contentType: file.contentType,
      size: file.size)
  }

  static func place(_ box: GeoBox) -> Admin.Place {
    Admin.Place(
      south: Double(box.southE7) / 1e7, west: Double(box.westE7) / 1e7, north: Double(box.northE7) / 1e7,
      east: Double(box.eastE7) / 1e7)
  }

  static func town(_ town: TownNames.Town) -> Admin.TownName {
    Admin.TownName(name: town.name, country: town.country)
  }
}

extension Admin.SkippedFile {
  init(_ file: IndexJob.Skipped) {
    self.init(path: file.locator, reason: file.reason.text, why: Admin.Reason(file.reason))
  }
}

extension Admin.ShownWords {
  init(_ words: ShownWords) {
    self.init(
      identifier: words.identifier, displayName: words.displayName, usageDescription: words.usageDescription,
      language: words.language,
      verifiedIdentity: words.systemIdentity, executable: words.executable)
  }
}

extension Admin.Reason {
  init(_ reason: Reason) {
    self.init(
      code: reason.code.rawValue, values: reason.values.isEmpty ? nil : reason.values,
      parts: reason.parts.isEmpty ? nil : reason.parts.map { Self($0) }, text: reason.text)
  }
}

/// The core's receipt; the interface has a type of the same name.
typealias RightsReceipt = Receipt

extension RightsReceipt {
  var entered: [Int64] { decisions.map { Int64(clamping: $0) } }
}

extension DecisionNumber {
  var entered: [Int64] { [value].compactMap { $0 }.map { Int64(clamping: $0) } }
}

extension Admin.Receipt {
  init(_ receipt: RightsReceipt) {
    self.init(
      grants: Int64(receipt.grants), connections: Int64(receipt.effect.connections),
      streams: Int64(receipt.effect.streams),
      dropped: Int64(receipt.effect.dropped), picks: Int64(receipt.effect.picks),
      assetsDelivered: Int64(receipt.delivered.assets),
      bytesDelivered: receipt.delivered.bytes)
  }
}
