package import Broker
package import Catalogue
package import PhotoModel

/// Records with every field filled, distinguished by a number.
package enum Samples {
  package static func name(_ number: UInt64) -> LibraryName {
    guard let name = LibraryName("library-\(number)") else { preconditionFailure("not a name") }
    return name
  }

  package static func time(_ number: UInt64) -> Timestamp { Timestamp(microseconds: Int64(number) * 1_000_003) }
  package static func app(_ number: UInt64) -> AppIdentifier { AppIdentifier(high: 0xa0, low: number) }
  package static func accessor(_ number: UInt64) -> Accessor { Accessor(high: .max, low: number) }
  package static func key(_ library: UInt64, _ app: UInt64, _ level: AccessLevel = .readWrite) -> GrantKey {
    GrantKey(library: name(library), app: Self.app(app), level: level)
  }

  package static func library(_ number: UInt64) -> LibraryRecord {
    var record = LibraryRecord(
      name: name(number), owner: UInt32(1000 + number), backend: "directory",
      options: ["path": "/p\(number)", "empty": ""],
      offeredTo: [0, .max, UInt32(1000 + number)], zoneOffsetMinutes: -90,
      rootKey: (0..<32).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }, coOwners: [7, UInt32(number)],
      administratorsSee: number % 2 == 0, administratorsDecide: number % 2 == 1,
      plugins: LibraryPlugins(
        cloudMapping: number % 2 == 0 ? "other" : nil, mappingOptions: ["prefix": "p\(number)"],
        policyOptions: number % 3 == 0 ? ["shared-read": ["create": "false"], "family": ["word": "Ä"]] : [:]))
    record.sharesOriginals = number % 2 == 0
    record.appsDelete = number % 2 == 1
    record.zoneName = number % 2 == 0 ? "Europe/Zurich" : nil
    for user in [.max, UInt32(number)] { record[.user, user].state = .declined }
    (record[.user, 0].state, record[.coOwner, 7].state) = (.accepted, .accepted)
    for user in [8, UInt32(2000 + number)] { record[.coOwner, user].state = .declined }
    return record
  }

  package static func appRecord(_ number: UInt64) -> AppRecord {
    AppRecord(
      identifier: app(number),
      manifest: Manifest(
        identifier: "org.example.app\(number)", displayName: "Ä 'app' \u{202e}\(number)", hasScreen: number % 2 == 0,
        usageDescription: LocalizedText(defaultText: "Why", translations: ["de": "Warum", "pt-br": ""]),
        addUsageDescription: LocalizedText(defaultText: number % 2 == 0 ? nil : ""),
        preventsAutomaticLimitedAccessAlert: number % 2 == 1, isReadOnly: number % 3 == 1),
      uid: UInt32(2000 + number), systemIdentity: number % 2 == 0 ? "unit:a.service" : nil, executable: "/usr/bin/a",
      isInterpreter: number % 3 == 0, introduced: time(number), accessor: accessor(number),
      registrar: number % 2 == 0 ? UInt32(1000 + number) : nil)
  }

  package static func grant(
    _ key: GrantKey, epoch: UInt64, status: AuthorizationStatus = .limited, isPaused: Bool = false
  ) -> GrantRecord {
    GrantRecord(
      key: key, status: status, isPaused: isPaused, expires: epoch % 2 == 0 ? time(epoch) : nil, albumPolicy: "own",
      role: .owner,
      decided: time(epoch), accessor: accessor(epoch), epoch: epoch, viewGeneration: UInt32(epoch),
      viewSince: epoch + 7,
      source: DecisionSource.allCases[Int(epoch) % DecisionSource.allCases.count], decider: .max,
      origin: "/usr/bin/photobroker",
      pausedBy: isPaused ? .administrator : nil, endSetBy: epoch % 2 == 0 ? .user : nil,
      agreement: epoch % 3 == 0 ? nil : agreement(epoch), live: epoch % 5 == 0 ? nil : live(epoch))
  }

  private static func live(_ number: UInt64) -> LiveSelection {
    LiveSelection(
      album: number % 2 == 0 ? nil : AlbumIdentifier(high: .max, low: number), folder: number % 3 == 0 ? nil : "a/ü",
      createdFrom: number % 2 == 0 ? time(number) : nil, createdBefore: Timestamp(microseconds: -1),
      mediaType: number % 4 == 0 ? .video : nil, favourites: number % 2 == 0,
      excluded: (0..<number % 4).map { AssetNumber(.max - 9 + UInt32($0)) })
  }

  package static func view(_ key: GrantKey, _ number: UInt64) -> ViewRecord {
    let seen = (0..<number % 7).map { index in
      ChangeRecord(
        sequence: index + 1, kind: index == 3 ? .album : .changed, asset: index == 3 ? nil : AssetNumber(UInt32(index)),
        identifier: index == 3 ? nil : row(UInt32(index)).identifier,
        album: index == 3 ? AlbumIdentifier(high: 1, low: number) : nil)
    }
    return ViewRecord(grant: key, generation: .max, earlier: number, earlierDigest: ~number, seen: seen)
  }

  /// Detached files of every kind, by number: with and without a place, an asset and a fingerprint;
  /// missing and found.
  package static func detached(_ number: UInt64) -> DetachedFile {
    let asset = asset(UInt32(number % 50))
    let file = asset.resources[0]
    let time = number % 3 == 0 ? nil : time(number)
    return DetachedFile(
      number: Int64(number), asset: number % 4 == 0 ? nil : asset.row.number,
      marks: [[.hidden], [.neverShare], .withheld][Int(number % 3)],
      place: number % 5 == 0 ? nil : file.locator, filename: file.filename, size: file.size, hint: file.identityHint,
      hash: number % 7 == 0 ? "hash:\(number % 50)" : nil, digest: file.digest ?? [UInt8(number % 50)],
      endsDigest: number % 2 == 0 ? nil : [UInt8(number % 50), 1], isMissing: number % 3 != 1, placeEnds: time)
  }

  package static func words(_ number: UInt64) -> ShownWords {
    ShownWords(
      identifier: "org.example.app\(number)", displayName: "Ä \u{202e}\(number)",
      usageDescription: number % 5 == 0 ? "" : "Why\nso",
      language: number % 2 == 0 ? "pt-br" : nil, systemIdentity: number % 3 == 0 ? "unit:a.service" : nil,
      executable: number % 4 == 0 ? nil : "/usr/bin/a")
  }

  package static func agreement(_ number: UInt64) -> Agreement {
    Agreement(time: time(number), user: .max, words: words(number))
  }

  package static func decision(_ key: GrantKey, _ number: UInt64) -> DecisionRecord {
    var record = DecisionRecord(
      time: time(number), actor: .max, role: .administrator, source: .undo, origin: "photobroker", action: "select",
      key: key,
      before: "none", after: "limited, \(number) selected", undoes: number % 2 == 0 ? number : nil)
    record.words = number % 3 == 0 ? nil : words(number)
    return record
  }

  /// A decision about an app at no level.
  package static func registration(_ key: GrantKey, _ number: UInt64) -> DecisionRecord {
    DecisionRecord(
      time: time(number), by: Decider(uid: 7, role: .owner, origin: "o"), action: "addApp", library: key.library,
      app: key.app,
      before: "", after: "registered \(number)")
  }

  /// - Parameter library: the decision's library, which its rule belongs to.
  package static func change(_ number: UInt64, in library: LibraryName = name(1)) -> DecisionChange {
    switch number % 10 {
    case 9: return number % 20 == 9 ? DecisionChange(.unknownMarks) : assetChange(number)
    case 5: return albumChange(number)
    case 6: return DecisionChange(.addedLibrary)
    case 7: return DecisionChange(.addedApp)
    case 8: return DecisionChange(.token(accessor(number)))
    case 4:
      let shareable = number % 2 == 0 ? [] : [SelectionChunk(index: .max, bytes: [9, 9])]
      return DecisionChange(
        .marks,
        [
          AssetChange(mark: .hidden, added: [SelectionChunk(index: 3, bytes: [1])]),
          AssetChange(mark: .neverShare, removed: shareable),
        ])
    case 1:
      let rights = LibraryRights(
        offeredTo: [0, .max], coOwners: [], administratorsSee: true, administratorsDecide: false)
      let later = LibraryRights(
        offeredTo: [], coOwners: [7], administratorsSee: false, administratorsDecide: true, sharesOriginals: true,
        appsDelete: number % 2 == 0)
      return DecisionChange(.library(ValueChange(rights, later)))
    case 2:
      var rule = rule(1, number)
      rule.library = library
      return DecisionChange(.rule(ValueChange(number % 8 == 2 ? nil : rule, number % 8 == 2 ? rule : nil)))
    case 3: return DecisionChange(.administrators(ValueChange([1, .max], [])))
    default: return grantChange(number)
    }
  }

  private static func assetChange(_ number: UInt64) -> DecisionChange {
    let before = AssetValues(
      asset: AssetNumber(UInt32(number)), isFavourite: number % 3 == 0,
      date: AssetValues.Date(
        creation: number % 4 == 0 ? nil : Timestamp(microseconds: -5), origin: number % 4 == 0 ? nil : .place,
        zoneMinutes: number % 5 == 0 ? nil : -300, placeShiftMinutes: 480), location: nil, caption: nil)
    var after = before
    after.isFavourite.toggle()
    after.location = GeoPoint(latitudeE7: -900_000_000, longitudeE7: .max)
    after.caption = "Ü\n\(number)"
    return DecisionChange(
      .asset(ValueChange(number % 7 == 0 ? nil : before, number % 7 == 1 ? nil : after)))
  }

  private static func albumChange(_ number: UInt64) -> DecisionChange {
    let facts = AlbumFacts(
      identifier: AlbumIdentifier(high: 1, low: number), title: "Ü \(number)", isShared: number % 2 == 0,
      creator: number % 2 == 0 ? nil : app(1), source: .userLibrary, created: Timestamp(microseconds: -5))
    let members = AssetChange(
      added: (0..<UInt32(number % 7)).map { SelectionChunk(index: $0, bytes: [7]) },
      removed: [SelectionChunk(index: .max, bytes: [UInt8](repeating: 1, count: Int(number % 5)))],
      places: (0..<Int(number % 5)).map { $0 * 300 })
    return DecisionChange(
      .album(ValueChange(number % 4 == 0 ? nil : facts, number % 4 == 1 ? nil : facts)), [members])
  }

  private static func grantChange(_ number: UInt64) -> DecisionChange {
    let before = GrantRights(status: .notDetermined, isPaused: false, expires: nil, albumPolicy: "own")
    let after = GrantRights(
      status: .limited, isPaused: true, expires: time(number), albumPolicy: "none", pausedBy: .rule,
      endSetBy: number % 2 == 0 ? .administrator : nil, agreement: number % 4 == 0 ? nil : agreement(number),
      live: number % 3 == 0 ? nil : live(number))
    let selection = AssetChange(
      added: [SelectionChunk(index: 0, bytes: [1, 2, 3]), SelectionChunk(index: UInt32(number), bytes: [])],
      removed: number % 2 == 0 ? [] : [SelectionChunk(index: .max, bytes: [UInt8](repeating: 7, count: 8_193))])
    return DecisionChange(.grant(ValueChange(before, after)), [selection])
  }

  private static func allowance(_ number: UInt64) -> Allowance {
    var allowance = Allowance()
    allowance[Allowance.Limit.allCases[Int(number % 4)]] = number % 3 == 0 ? 0 : .max
    return allowance
  }

  package static func rule(_ library: UInt64, _ number: UInt64) -> RuleRecord {
    let full = RuleSelector(
      glob: "**/ü", createdFrom: time(number), createdBefore: Timestamp(microseconds: -1), filename: "a.jpg",
      mediaType: .video,
      favourite: false, last: 0, everything: true, album: AlbumIdentifier(high: .max, low: number))
    return RuleRecord(
      library: name(library), name: "rule-\(number % 4)", identifier: number % 2 == 0 ? nil : "org.example.app",
      uid: .max,
      systemIdentity: number % 3 == 0 ? "unit:a.service" : nil, level: .readWrite,
      answer: RuleAnswer.allCases[Int(number) % RuleAnswer.allCases.count],
      selectors: number % 2 == 0 ? [] : [full, RuleSelector(favourite: true)],
      albumPolicy: number % 2 == 0 ? "none" : nil,
      terms: .init(
        location: number % 3 == 0 ? nil : number % 3 == 1, captions: number % 2 == 0 ? nil : false,
        files: number % 2 == 0 ? nil : false, pixels: number % 3 == 0 ? 512 : nil,
        deletions: number % 2 == 0 ? nil : .never, allowance: allowance(number)),
      lifetimeSeconds: number % 2 == 0 ? nil : Int64(number),
      live: number % 3 == 0 ? live(number) : nil, author: 1_000, role: .administrator, made: time(number))
  }

  package static func row(_ number: UInt32, version: UInt32 = 0) -> AssetRow {
    let wide = UInt64(number)
    return AssetRow(
      number: AssetNumber(number), identifier: AssetIdentifier(high: ~wide, low: wide << 32 | 1),
      creationDate: number % 5 == 0 ? nil : time(wide),
      dateOrigin: number % 5 == 0 ? nil : DateOrigin.allCases[Int(number % 5)],
      zoneMinutes: number % 5 == 0 || number % 3 == 0 ? nil : Int16(number % 113) * 15 - 840,
      placeShiftMinutes: number % 5 == 0 ? 0 : Int16(number % 4) * 480 - 960,
      addedDate: time(wide + 1), modificationDate: Timestamp(microseconds: -Int64(number)),
      mediaType: MediaType.allCases[Int(number % 4)], subtypes: MediaSubtypes(rawValue: number & 0x7ff),
      flags: AssetFlags(rawValue: UInt8(number % 32)), width: number % 3 == 0 ? .max : 4_000, height: 3_000,
      durationMilliseconds: number % 7,
      location: number % 3 == 0 ? GeoPoint(latitudeE7: -900_000_000, longitudeE7: 13) : nil,
      place: number % 2 == 0 ? .max : nil, version: version, fileName: "IMG_\(number) ü.jpg")
  }

  package static func asset(_ number: UInt32, creator: AppIdentifier? = nil) -> AssetRecord {
    let original = ResourceRecord(
      role: .original, locator: "2024/IMG_\(number).jpg", filename: "IMG_\(number).jpg", contentType: "image/jpeg",
      size: Int64(number) * 1_000, contentVersion: "v\(number)", identityHint: "d:i:\(number)", digest: nil,
      endsDigest: number % 3 == 0 ? [UInt8](repeating: UInt8(number % 255), count: 32) : nil,
      picture: PictureFacts(
        digest: number % 5 == 0 ? nil : [UInt8(number % 200)], captured: number % 7 == 0 ? nil : Int64(number),
        camera: number % 2 == 0 ? nil : "Maker Model"))
    var sidecar = original
    sidecar.role = .sidecar
    sidecar.picture = PictureFacts()
    sidecar.locator += ".xmp"
    sidecar.identityHint = nil
    sidecar.digest = [UInt8](repeating: UInt8(number % 256), count: 32)
    return AssetRecord(
      row: row(number), caption: number % 4 == 0 ? "a caption" : nil, camera: "Maker Model", livePhotoIdentifier: nil,
      burstIdentifier: number % 6 == 0 ? "b" : nil, creator: creator, edited: [.favourite],
      ofFile: FileValues(
        creationDate: number % 2 == 0 ? nil : time(UInt64(number)),
        location: number % 4 == 1 ? GeoPoint(latitudeE7: 5, longitudeE7: -7) : nil,
        caption: number % 3 == 0 ? nil : "file's \(number)"),
      factsVersion: number % 2, resources: number % 3 == 0 ? [original, sidecar] : [original])
  }

  package static func entry(_ number: UInt64, app: UInt64 = 1, rendition: String = "original") -> LedgerRecord {
    LedgerRecord(
      time: time(number), app: Self.app(app), accessor: accessor(app),
      asset: AssetIdentifier(high: 5, low: number % 100),
      rendition: rendition, bytes: rendition == "metadata" ? 0 : Int64(number) + 1)
  }
}
