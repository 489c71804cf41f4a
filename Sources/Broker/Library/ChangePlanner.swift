import Catalogue
import Limits
import PhotoModel

/// Checks the steps of one change request in order, each against the results of the earlier steps,
/// and collects the results. It changes nothing.
struct ChangePlanner {
  let library: LibraryState
  let grant: GrantState
  let attenuation: Attenuation?
  let seals: AppSeals
  private(set) var rows: [AssetNumber: AssetRow] = [:]
  private(set) var edits: [AssetNumber: EditedFields] = [:]
  private(set) var captions: [AssetNumber: String] = [:]
  /// Assets that the steps create, in order, without the facts of their files.
  private(set) var creations: [PlannedAsset] = []
  private var placeholders: [String: Placeholder] = [:]
  private var albums: [AlbumIdentifier: AlbumRecord?] = [:]
  private var members: [AlbumIdentifier: PlannedMembers] = [:]
  /// Visible members before the request, of albums whose members change. The limit ignores invisible
  /// members, so that it reveals none.
  private var knownMembers = 0
  private var knownOwnAlbums: Int?
  /// Change of ``knownOwnAlbums`` by the steps so far.
  private var comingOwnAlbums = 0
  private var knownOwnMembers: Int?
  /// Change of ``knownOwnMembers`` by the steps so far.
  private var comingOwnMembers = 0
  private(set) var outcome = ChangeOutcome()
  /// In the order of the steps, for the log.
  private(set) var touched: [AssetNumber] = []
  private let view: View
  /// Stored captions of assets, for those that are not in memory.
  private let kept: [AssetNumber: String]

  private enum Placeholder {
    case asset(AssetNumber)
    case album(AlbumIdentifier)
  }

  /// - Parameters:
  ///   - createsOnly: whether all steps create assets, so that no view is needed.
  ///   - kept: stored captions of the assets whose captions the steps set.
  init(
    library: LibraryState, grant: GrantState, attenuation: Attenuation?, createsOnly: Bool = false,
    kept: [AssetNumber: String] = [:]
  ) throws(BrokerError) {
    guard
      let view = grant.view(subset: attenuation?.selection)
        ?? (createsOnly ? .limited(library.catalogue.emptySelection()) : nil)
    else {
      throw .photos(.accessUserDenied, "This app has no access to change assets; request readWrite authorization.")
    }
    self.library = library
    self.grant = grant
    self.attenuation = attenuation
    self.view = view
    self.kept = kept
    seals = try library.seals[grant.record.key.app]
  }

  mutating func take(_ step: ChangeStep) throws(BrokerError) {
    switch step {
    case .createAsset(let creation): try create(creation)
    case .setFavorite(let targets, let value): try edit(targets, .favourite) { $0.setFavourite(value) }
    case .setCreationDate(let targets, let date): try edit(targets, .creationDate) { $0.setCreationDate(date) }
    case .setLocation(let targets, let point):
      try edit(targets, .location) { $0.location = point }
    case .setCaption(let targets, let text):
      try checkCaption(text)
      let numbers = try targets.map { target throws(BrokerError) in try expectedRow(target).number }
      let other = Set(numbers.filter { (captions[$0] ?? caption(before: $0)) != text })
      try edit(targets, .caption, besides: other) { _ in }
      for number in numbers { captions[number] = text }
    case .delete(let targets):
      var trashed: [AssetNumber] = []
      try edit(targets, []) { row in
        row.flags.insert(.trashed)
        trashed.append(row.number)
      }
      outcome.trashed += trashed
    case .createAlbum(let title, let placeholder): try create(title, placeholder)
    case .renameAlbum(let album, let title):
      try requireWholeToken()
      try expect(album)
      try checkTitle(title)
      outcome.judgedAlbums.insert(try editable(album).identifier)
      try edit(album) { $0.title = title }
    case .addToAlbum(let album, let targets):
      try expect(album)
      let numbers = try targets.map { target throws(BrokerError) in try member(target) }
      try add(numbers, to: album)
    case .removeFromAlbum(let album, let targets):
      try expect(album)
      let numbers = try targets.map { target throws(BrokerError) in try member(target) }
      let identifier = try planMembers(of: album)
      let before = members[identifier]?.visibleCount ?? 0
      members[identifier]?.remove(numbers)
      if try isOwn(album) { comingOwnMembers += (members[identifier]?.visibleCount ?? 0) - before }
    case .moveInAlbum(let album, let targets, let next):
      try expect(album)
      try move(targets, in: album, before: next)
    case .deleteAlbum(let album):
      if case .placeholder = album.name {
        throw .photos(.changeNotSupported, "A request does not delete the album that it creates; leave both steps out.")
      }
      try requireWholeToken()
      try expect(album)
      let record = try editable(album)
      if record.creator == grant.record.key.app {
        comingOwnAlbums -= 1
        let count = members[record.identifier]?.visibleCount
        comingOwnMembers -= count ?? library.albums.visibleAlbums(of: grant)[record.identifier]?.members.count ?? 0
      }
      albums.updateValue(nil, forKey: record.identifier)
    }
  }

  // MARK: Assets

  private func caption(before number: AssetNumber) -> String? {
    library.assets.recentEdits[number]?.caption ?? kept[number]
  }

  /// An asset's caption before and after the steps; nil if they do not set it.
  func captionChange(of number: AssetNumber) -> ValueChange<String>? {
    captions[number].map { ValueChange(caption(before: number) ?? "", $0) }
  }

  /// The asset before the request; invisible and missing ones give the same error.
  private func known(_ target: AssetTarget) throws(BrokerError) -> AssetRow {
    guard case .identifier(let identifier) = target.name else {
      throw .photos(
        .changeNotSupported,
        "A placeholder stands for a member of an album; set everything else in the step that creates it.")
    }
    return try library.assets.asset(try seals.open(identifier), in: view)
  }

  /// The asset after the steps so far. The version that a step names must be the one before the
  /// request, because the app knows no other.
  private func expectedRow(_ target: AssetTarget) throws(BrokerError) -> AssetRow {
    let known = try known(target)
    let row = rows[known.number] ?? known
    guard row.flags.isDisjoint(with: [.trashed, .missing]) else { throw .identifierNotFound() }
    if let expected = target.version, try seals.versions(of: [known]).first != expected {
      throw .photos(
        .operationInterrupted, "An asset changed since this app fetched it; fetch it again and repeat the change.")
    }
    return row
  }

  /// Edits assets. Fields that already have the value keep the version, and only become edited
  /// fields.
  /// - Parameter changed: assets that change outside their rows, such as in their captions.
  private mutating func edit(
    _ targets: [AssetTarget], _ fields: EditedFields, besides changed: Set<AssetNumber> = [],
    _ change: (inout AssetRow) -> Void
  ) throws(BrokerError) {
    guard !targets.isEmpty else {
      throw .photos(.changeNotSupported, "A step names no assets; name at least one.")
    }
    for target in targets {
      let before = try expectedRow(target)
      var row = before
      change(&row)
      if row != before || changed.contains(row.number) {
        row.modificationDate = max(row.modificationDate, library.environment.now)
        row.version &+= 1
      }
      if rows.updateValue(row, forKey: row.number) == nil { touched.append(row.number) }
      edits[row.number, default: []].formUnion(fields)
    }
  }

  // MARK: Creating

  private mutating func create(_ creation: AssetCreation) throws(BrokerError) {
    if let caption = creation.caption { try checkCaption(caption) }
    let words = library.environment.randomWords()
    let identifier = AssetIdentifier(high: words.high, low: words.low)
    let planned = PlannedAsset(
      number: try library.assets.number(after: creations.count), identifier: identifier, creation: creation)
    creations.append(planned)
    let sealed = try seals.seal(identifier)
    outcome.createdAssets.append(sealed)
    try name(creation.placeholder, .asset(planned.number), sealed.description)
  }

  private mutating func name(_ placeholder: String?, _ meaning: Placeholder, _ sealed: String) throws(BrokerError) {
    guard let placeholder else { return }
    guard placeholders.updateValue(meaning, forKey: placeholder) == nil else {
      throw .photos(
        .changeNotSupported, "Two steps create something under the same placeholder; give each a name of its own.")
    }
    outcome.placeholders[placeholder] = sealed
  }

  private func meaning(of placeholder: String) throws(BrokerError) -> Placeholder {
    guard let meaning = placeholders[placeholder] else {
      throw .photos(
        .changeNotSupported,
        "A step names a placeholder that no step before it creates; put the step that does before it.")
    }
    return meaning
  }

  private func member(_ target: AssetTarget) throws(BrokerError) -> AssetNumber {
    guard case .placeholder(let placeholder) = target.name else { return try expectedRow(target).number }
    guard case .asset(let number) = try meaning(of: placeholder) else { throw Self.wrongKind() }
    // An attenuated token need not show the new asset.
    guard attenuation == nil else { throw .beyondToken() }
    return number
  }

  private static func wrongKind() -> BrokerError {
    .photos(
      .changeNotSupported,
      "A step names an album by the placeholder of an asset, or an asset by that of an album; give each its own.")
  }

  // MARK: Albums

  /// Requires a token without attenuation for changes of an album as a whole. The holder of an
  /// attenuated token sees only some members, and an error must not reveal whether there are
  /// others.
  private func requireWholeToken() throws(BrokerError) {
    guard attenuation == nil else { throw .beyondToken() }
  }

  private mutating func create(_ title: String, _ placeholder: String?) throws(BrokerError) {
    // The new album would be empty, and so invisible to an attenuated token.
    try requireWholeToken()
    guard grant.albums.mayCreate else {
      throw .photos(
        .accessUserDenied, "The grant's album policy lets this app create no albums; the owner can choose another.")
    }
    try checkTitle(title)
    guard ownAlbums() < BrokerLimits.albumsPerApp else {
      throw .photos(
        .limitExceeded,
        "An app has at most \(BrokerLimits.albumsPerApp) albums in a library; delete one that is not used.")
    }
    let words = library.environment.randomWords()
    let identifier = AlbumIdentifier(high: words.high, low: words.low)
    albums[identifier] = AlbumRecord(
      identifier: identifier, title: title, creator: grant.record.key.app, source: .userLibrary,
      created: library.environment.now, members: [])
    comingOwnAlbums += 1
    let sealed = try seals.seal(identifier)
    outcome.createdAlbums.append(sealed)
    try name(placeholder, .album(identifier), sealed.description)
    outcome.judgedAlbums.insert(identifier)
  }

  private mutating func ownAlbums() -> Int {
    let app = grant.record.key.app
    let known = knownOwnAlbums ?? library.albums.values.lazy.filter { $0.creator == app }.count
    knownOwnAlbums = known
    return known + comingOwnAlbums
  }

  private func editable(_ album: AlbumTarget) throws(BrokerError) -> AlbumRecord {
    let identifier: AlbumIdentifier
    switch album.name {
    case .identifier(let sealed): identifier = try seals.open(sealed)
    case .placeholder(let placeholder):
      guard case .album(let made) = try meaning(of: placeholder) else { throw Self.wrongKind() }
      identifier = made
    }
    if let planned = albums[identifier] {
      guard let planned else { throw .identifierNotFound() }
      return planned
    }
    guard library.albums.shows(identifier, to: grant, subset: attenuation?.selection),
      let known = library.albums[identifier]
    else {
      throw .identifierNotFound()
    }
    guard grant.albums.allowsEditing(identifier) else {
      throw .photos(
        .accessUserDenied,
        "The grant's album policy lets this app read the album and not change it; the owner can choose another one.")
    }
    return known
  }

  /// Throws unless the album had the step's version before the request.
  private mutating func expect(_ album: AlbumTarget) throws(BrokerError) {
    guard let expected = album.version else { return }
    let record = try editable(album)
    // The same limit as for changed members, because the version needs them as well.
    _ = try planMembers(of: album)
    guard let visibleAlbum = library.albums.visibleAlbums(of: grant, attenuation)[record.identifier],
      try seals.version(of: record.identifier, state: visibleAlbum.state) == expected
    else {
      throw .photos(
        .operationInterrupted, "An album changed since this app fetched it; fetch it again and repeat the change.")
    }
  }

  private mutating func move(_ targets: [AssetTarget], in album: AlbumTarget, before next: AssetTarget?)
    throws(BrokerError)
  {
    let identifier = try planMembers(of: album)
    var numbers: [AssetNumber] = []
    var seen = Set<AssetNumber>()
    for target in targets {
      let number = try member(target)
      guard isMember(number, of: identifier) else { throw Self.noMember() }
      if seen.insert(number).inserted { numbers.append(number) }
    }
    let place = try next.map { target throws(BrokerError) in try member(target) }
    guard place.map({ isMember($0, of: identifier) && !seen.contains($0) }) ?? true else { throw Self.noMember() }
    members[identifier]?.move(numbers, before: place)
  }

  private func isMember(_ number: AssetNumber, of album: AlbumIdentifier) -> Bool {
    members[album]?.contains(number) ?? false
  }

  private static func noMember() -> BrokerError {
    .photos(
      .changeNotSupported,
      "Only members of the album can be moved, before another member; add the asset to the album first.")
  }

  private mutating func edit(_ album: AlbumTarget, _ change: (inout AlbumRecord) -> Void) throws(BrokerError) {
    var record = try editable(album)
    change(&record)
    albums[record.identifier] = record
  }

  private mutating func add(_ numbers: [AssetNumber], to album: AlbumTarget) throws(BrokerError) {
    let identifier = try planMembers(of: album)
    let before = members[identifier]?.visibleCount ?? 0
    members[identifier]?.add(numbers)
    let count = members[identifier]?.visibleCount ?? 0
    guard count == before || count <= BrokerLimits.albumAssets else {
      throw .photos(
        .limitExceeded, "An album holds at most \(BrokerLimits.albumAssets) assets; put the others into another one.")
    }
    guard count > before, try isOwn(album) else { return }
    comingOwnMembers += count - before
    guard ownMembers() <= BrokerLimits.albumMembersPerApp else {
      throw .photos(
        .limitExceeded,
        "The albums that an app made have at most \(BrokerLimits.albumMembersPerApp) members in a library; take some "
          + "out."
      )
    }
  }

  private func isOwn(_ album: AlbumTarget) throws(BrokerError) -> Bool {
    try editable(album).creator == grant.record.key.app
  }

  private mutating func ownMembers() -> Int {
    if let knownOwnMembers { return knownOwnMembers + comingOwnMembers }
    let (app, visibleAlbums) = (grant.record.key.app, library.albums.visibleAlbums(of: grant))
    let own = library.albums.values.lazy.filter { $0.creator == app }
    let known = own.reduce(0) { $0 + (visibleAlbums[$1.identifier]?.members.count ?? 0) }
    knownOwnMembers = known
    return known + comingOwnMembers
  }

  /// Prepares an album's members once for all steps. Their number is limited, because the loop
  /// serves nobody else meanwhile.
  private mutating func planMembers(of album: AlbumTarget) throws(BrokerError) -> AlbumIdentifier {
    let record = try editable(album)
    let identifier = record.identifier
    guard members[identifier] == nil else { return identifier }
    guard members.count < BrokerLimits.changedAlbums else { throw Self.tooManyMembers() }
    let library = library
    let selection = library.albums.members(of: record)
    var query = Query()
    query.members = [selection]
    let visibleCount = library.catalogue.count(query, in: view)
    knownMembers += visibleCount
    // The first album may always be changed, even if unhidden assets made it larger than the limit.
    guard members.isEmpty || knownMembers <= BrokerLimits.changedAlbumMembers else { throw Self.tooManyMembers() }
    albums[identifier] = record
    members[identifier] = PlannedMembers(record.members, visibleCount: visibleCount) { number in
      library.catalogue.contains(number, in: selection)
    }
    return identifier
  }

  private static func tooManyMembers() -> BrokerError {
    .photos(
      .limitExceeded,
      """
      One request changes the members of at most \(BrokerLimits.changedAlbums) albums, which hold at most \
      \(BrokerLimits.changedAlbumMembers) assets together; make several requests.
      """)
  }

  /// The albums after the request; nil for deleted ones.
  func albumEdits() -> [(identifier: AlbumIdentifier, album: AlbumRecord?)] {
    albums.sorted { $0.key < $1.key }.map { identifier, album in
      guard var album, let members = members[identifier]?.members else { return (identifier, album) }
      album.members = members
      return (identifier, album)
    }
  }

  /// An empty text removes the caption.
  private func checkCaption(_ text: String) throws(BrokerError) {
    guard text.isCaption else { throw .photos(.changeNotSupported, AssetEdit.captionRule) }
  }

  private func checkTitle(_ text: String) throws(BrokerError) {
    guard !text.isBlank, text.utf8.count <= BrokerLimits.titleBytes, text.isShowable(allowsLines: false) else {
      throw .photos(
        .changeNotSupported,
        "The title must have 1 to \(BrokerLimits.titleBytes) bytes, something that can be seen, and neither control "
          + "nor direction characters.")
    }
  }
}
