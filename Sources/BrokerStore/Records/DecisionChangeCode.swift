import Broker
import Catalogue
import PhotoModel

/// The change that undoes a decision, as one blob. Its first byte is its kind:
/// - 12, a grant: the rights before and after, each as status, whether paused, the end (0: none;
///   else 1 and the time), the album policy, `pausedBy` and `endSetBy`. Then the added and the
///   removed assets, each as a number of chunks with index and bytes. 13, as 12, followed by the
///   agreements before and after, each as 0 for none, or 1 and itself (``ShownWordsCode``);
/// - 2, a library: before and after, each as users with an offer, co-owners, and the rights of
///   administrators and apps;
/// - 3, a rule: before and after, each as 0 for none, or 1, its name and itself (``RuleCode``);
/// - 4, the administrators: before and after;
/// - 6, marks: assets that were hidden, shown, never-shared, shareable, favourites and others, each
///   as chunks;
/// - 7, an album: its identifier; before and after, each as 0 for none, or 1, title, whether
///   shared, creator (0: none; else 1 and it), source and time. Then the added members, and the
///   removed ones, each as its index, counted from the one before, and its number;
/// - 8, a library that was added; 9, an app that was registered: nothing more;
/// - 10, a token that was given out: its accessor.
///
/// A set of users is its count and each user.
enum DecisionChangeCode {
  static func encode(_ change: DecisionChange) -> [UInt8] {
    var writer = ByteWriter()
    switch change {
    case .grant(let change):
      writer.put(change.agreements == nil ? 12 : 13)
      for rights in [change.before, change.after] { put(rights, &writer) }
      for chunks in [change.added, change.removed] { put(chunks, &writer) }
      guard let agreements = change.agreements else { break }
      for agreement in [agreements.before, agreements.after] {
        writer.put(agreement == nil ? 0 : 1)
        if let agreement { ShownWordsCode.put(agreement, &writer) }
      }
    case .library(let before, let after):
      writer.put(2)
      for rights in [before, after] {
        put(rights.offeredTo, &writer)
        put(rights.coOwners, &writer)
        let ofAdministrators: UInt8 = (rights.administratorsSee ? 1 : 0) | (rights.administratorsDecide ? 2 : 0)
        // 8 is inverted: without it, apps may delete.
        let ofApps: UInt8 = (rights.sharesOriginals ? 4 : 0) | (rights.appsDelete ? 0 : 8)
        writer.put(ofAdministrators | ofApps)
      }
    case .rule(let before, let after):
      writer.put(3)
      for rule in [before, after] {
        writer.put(rule == nil ? 0 : 1)
        guard let rule else { continue }
        writer.put(rule.name)
        writer.put(RuleCode.encode(rule))
      }
    case .administrators(let before, let after):
      writer.put(4)
      for users in [before, after] { put(users, &writer) }
    case .marks(let change):
      writer.put(6)
      for chunks in [
        change.hidden, change.shown, change.neverShared, change.shareable, change.favourites, change.others,
      ] {
        put(chunks, &writer)
      }
    case .album(let change):
      writer.put(7)
      AlbumChangeCode.encode(change, to: &writer)
    case .addedLibrary: writer.put(8)
    case .addedApp: writer.put(9)
    case .token(let accessor):
      writer.put(10)
      writer.put(accessor.value.high, accessor.value.low)
    }
    return writer.bytes
  }

  /// Returns nil for bytes that `encode` did not write.
  /// - Parameter library: the decision's library, which a rule belongs to.
  static func decode(_ bytes: [UInt8], of library: LibraryName?) -> DecisionChange? {
    var reader = ByteReader(bytes)
    let change: DecisionChange? =
      switch reader.byte() {
      case 2: pair(&reader, libraryRights).map { .library(before: $0.0, after: $0.1) }
      case 3:
        pair(&reader) { reader in rule(&reader, of: library) }.map { .rule(before: $0.0.value, after: $0.1.value) }
      case 4: pair(&reader, users).map { .administrators(before: $0.0, after: $0.1) }
      case 6: marks(&reader).map { .marks($0) }
      case 7: AlbumChangeCode.decode(&reader).map { .album($0) }
      case 8: .addedLibrary
      case 9: .addedApp
      case 10: reader.words().map { .token(Accessor(high: $0.high, low: $0.low)) }
      case 12: grant(&reader).map { .grant($0) }
      case 13: grantAnswered(&reader).map { .grant($0) }
      default: nil
      }
    return reader.isAtEnd ? change : nil
  }

  /// Length in bytes of the prefix that ``subject(_:of:)`` and ``scope(_:of:)`` need of a change
  /// with assets. It covers an album's two titles of 1 KiB each, or a grant's rights before and
  /// after.
  static let headBytes = 4_096

  /// The subject of a decision, without the rest of its change. Nil if the decision's record says
  /// everything, and for bytes that `encode` does not begin with.
  /// - Parameter library: the decision's library, which a rule belongs to.
  static func subject(_ bytes: [UInt8], of library: LibraryName?) -> DecisionSubject? {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 3: return decode(bytes, of: library).flatMap { DecisionSubject($0) }
    case 7: return AlbumChangeCode.title(&reader).map { .album(title: $0) }
    default: return nil
    }
  }

  /// The rights that an undo would restore. Nil for bytes that `encode` does not begin with.
  /// - Parameter library: the decision's library, which a rule belongs to.
  static func scope(_ bytes: [UInt8], of library: LibraryName?) -> UndoScope? {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 12, 13: return pair(&reader, rights).map { .grant(before: $0.0.status, after: $0.1.status) }
    case 6, 7: return .photos
    default: return decode(bytes, of: library).map { UndoScope($0) }
    }
  }

  private static func pair<Value>(_ reader: inout ByteReader, _ read: (inout ByteReader) -> Value?) -> (Value, Value)? {
    guard let before = read(&reader), let after = read(&reader) else { return nil }
    return (before, after)
  }

  private static func grant(_ reader: inout ByteReader) -> GrantChange? {
    guard let (before, after) = pair(&reader, rights), let added = chunks(&reader), let removed = chunks(&reader) else {
      return nil
    }
    return GrantChange(before: before, after: after, added: added, removed: removed)
  }

  private static func grantAnswered(_ reader: inout ByteReader) -> GrantChange? {
    guard var change = grant(&reader), let (before, after) = pair(&reader, agreement) else { return nil }
    change.agreements = GrantChange.Agreements(before: before.value, after: after.value)
    return change
  }

  private static func agreement(_ reader: inout ByteReader) -> ByteReader.Nullable<Agreement>? {
    switch reader.byte() {
    case 0: ByteReader.Nullable(value: nil)
    case 1: ShownWordsCode.agreement(&reader).map { ByteReader.Nullable(value: $0) }
    default: nil
    }
  }

  private static func marks(_ reader: inout ByteReader) -> MarkChange? {
    var change = MarkChange()
    guard let hidden = chunks(&reader), let shown = chunks(&reader), let neverShared = chunks(&reader),
      let shareable = chunks(&reader), let favourites = chunks(&reader), let others = chunks(&reader)
    else { return nil }
    (change.hidden, change.shown, change.neverShared, change.shareable) = (hidden, shown, neverShared, shareable)
    (change.favourites, change.others) = (favourites, others)
    return change
  }

  private static func put(_ rights: GrantRights, _ writer: inout ByteWriter) {
    writer.putCompact(UInt64(rights.status.rawValue))
    writer.put(rights.isPaused ? 1 : 0)
    writer.put(rights.expires == nil ? 0 : 1)
    if let end = rights.expires { writer.putCompact(signed: end.microseconds) }
    writer.put(rights.albumPolicy)
    writer.put(optional: rights.pausedBy?.rawValue)
    writer.put(optional: rights.endSetBy?.rawValue)
  }

  private static func put(_ chunks: [SelectionChunk], _ writer: inout ByteWriter) {
    writer.putCompact(UInt64(chunks.count))
    for chunk in chunks {
      writer.putCompact(UInt64(chunk.index))
      writer.put(chunk.bytes)
    }
  }

  private static func put(_ users: Set<UInt32>, _ writer: inout ByteWriter) {
    writer.putCompact(UInt64(users.count))
    for user in users.sorted() { writer.putCompact(UInt64(user)) }
  }

  private static func users(_ reader: inout ByteReader) -> Set<UInt32>? {
    guard let count = reader.count(ofAtLeast: 1) else { return nil }
    var users: Set<UInt32> = []
    for _ in 0..<count {
      guard let user = reader.compact().flatMap(UInt32.init(exactly:)), users.insert(user).inserted else { return nil }
    }
    return users
  }

  private static func libraryRights(_ reader: inout ByteReader) -> LibraryRights? {
    guard let offeredTo = users(&reader), let coOwners = users(&reader), let administrators = reader.byte(),
      administrators < 16
    else { return nil }
    return LibraryRights(
      offeredTo: offeredTo, coOwners: coOwners, administratorsSee: administrators & 1 != 0,
      administratorsDecide: administrators & 2 != 0, sharesOriginals: administrators & 4 != 0,
      appsDelete: administrators & 8 == 0)
  }

  private static func rule(_ reader: inout ByteReader, of library: LibraryName?) -> ByteReader.Nullable<RuleRecord>? {
    guard let isThere = reader.byte() else { return nil }
    if isThere == 0 { return ByteReader.Nullable(value: nil) }
    guard isThere == 1, let library, let name = reader.text(), let bytes = reader.bytes(),
      let rule = RuleCode.decode(bytes, library: library, name: name)
    else { return nil }
    return ByteReader.Nullable(value: rule)
  }

  private static func role(_ reader: inout ByteReader) -> ByteReader.Nullable<DecisionRole>? {
    switch reader.byte() {
    case 0: ByteReader.Nullable(value: nil)
    case 1: reader.text().flatMap(DecisionRole.init(rawValue:)).map { ByteReader.Nullable(value: $0) }
    default: nil
    }
  }

  private static func rights(_ reader: inout ByteReader) -> GrantRights? {
    guard let number = reader.compact(), let raw = AuthorizationStatus.RawValue(exactly: number),
      let status = AuthorizationStatus(rawValue: raw), let isPaused = reader.byte(), let hasEnd = reader.byte()
    else { return nil }
    var end: Timestamp?
    if hasEnd == 1 {
      guard let time = reader.compactSigned() else { return nil }
      end = Timestamp(microseconds: time)
    }
    guard let policy = reader.text(), let pausedBy = role(&reader), let endSetBy = role(&reader) else { return nil }
    var rights = GrantRights(status: status, isPaused: isPaused == 1, expires: end, albumPolicy: policy)
    (rights.pausedBy, rights.endSetBy) = (pausedBy.value, endSetBy.value)
    return rights
  }

  private static func chunks(_ reader: inout ByteReader) -> [SelectionChunk]? {
    guard let count = reader.count(ofAtLeast: 2) else { return nil }
    var chunks: [SelectionChunk] = []
    for _ in 0..<count {
      guard let number = reader.compact(), let index = UInt32(exactly: number), let bytes = reader.bytes() else {
        return nil
      }
      chunks.append(SelectionChunk(index: index, bytes: bytes))
    }
    return chunks
  }
}
