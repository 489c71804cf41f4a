import BrokerInterface
import PhotoModel
import PluginHost

/// Checks that an album policy follows its protocol.
struct AlbumPolicyChecks {
  private let run: CheckRun

  init(_ run: CheckRun) { self.run = run }

  func all() {
    run.check("nothing-asked") { try check([], isLimited: true) }
    run.check("every-kind-of-album") {
      for isLimited in [true, false] { try check(Self.albums(64), isLimited: isLimited) }
    }
    run.check("same-answer-again", sameAnswerAgain)
    run.check("order-of-albums", orderOfAlbums)
    run.check("one-album-alone", oneAlbumAlone)
    run.check("equal-titles", equalTitles)
    run.check("odd-titles") { try check(Self.odd, isLimited: true) }
    run.check("odd-identifiers", oddIdentifiers)
    run.check("thousands-of-albums", thousandsOfAlbums)
  }

  /// Albums with all combinations of own, shared and source.
  private static func albums(_ count: Int) -> [Plugin.Album] {
    (0..<count).map { (number: Int) -> Plugin.Album in
      let source: SourceType = number & 4 == 4 ? .cloudShared : .userLibrary
      let identifier = AlbumIdentifier(high: 7, low: UInt64(number)).description
      return Plugin.Album(
        identifier: identifier, title: "Album \(number)", isOwn: number & 1 == 1, isShared: number & 2 == 2,
        source: source.rawValue)
    }
  }

  /// Titles that people and programs have made.
  private static let odd: [Plugin.Album] = {
    let titles = [
      "", " ", "\u{0}", "\n\r\t", "\u{1b}[2J", "\u{202e}txet", "../../etc", "\"}", "%s%n",
      String(repeating: "\u{301}", count: 1_000),
      String(repeating: "x", count: 16_384), "👩‍👩‍👧‍👦", "\u{feff}", "Ünïcödé", "';--",
    ]
    return zip(titles, albums(titles.count)).map { title, album in
      var album = album
      album.title = title
      return album
    }
  }()

  private typealias Answer = Plugin.DecideAlbums.Reply

  @discardableResult
  private func check(_ albums: [Plugin.Album], isLimited: Bool, in process: PluginProcess? = nil) throws -> Answer {
    let process = try process ?? run.running()
    let answer = try process.call(
      Plugin.DecideAlbums.self, .init(isLimited: isLimited, albums: albums), within: .seconds(5))
    let asked = Set(albums.map(\.identifier))
    if let foreign = (answer.visible + answer.editable).first(where: { !asked.contains($0) }) {
      throw Complaint(
        """
        It answered with album "\(foreign.prefix(40))", which is not in the question. Use identifiers of the question \
        only.
        """
      )
    }
    try expect(
      Set(answer.editable).isSubset(of: answer.visible),
      "An album is editable and not visible. Make every editable album visible.")
    return answer
  }

  private static func same(_ one: Answer, _ other: Answer) -> Bool {
    Set(one.visible) == Set(other.visible) && Set(one.editable) == Set(other.editable)
      && one.mayCreate == other.mayCreate
  }

  private func sameAnswerAgain() throws {
    let albums = Self.albums(200)
    let first = try check(albums, isLimited: true)
    let other = try run.fresh()
    try expect(
      Self.same(first, check(albums, isLimited: true)) && Self.same(first, check(albums, isLimited: true, in: other)),
      "The same question got two answers. Decide by the question's content alone.")
  }

  private func orderOfAlbums() throws {
    let albums = Self.albums(200)
    try expect(
      Self.same(check(albums, isLimited: true), check(albums.reversed(), isLimited: true)),
      "The order of the albums changed the answer. Ignore the order.")
  }

  private func oneAlbumAlone() throws {
    let albums = Self.albums(32)
    let together = try check(albums, isLimited: true)
    guard try check([], isLimited: true).mayCreate == together.mayCreate else { throw Self.createsByAlbums }
    for album in albums {
      let alone = try check([album], isLimited: true)
      guard alone.mayCreate == together.mayCreate else { throw Self.createsByAlbums }
      try expect(
        alone.visible.contains(album.identifier) == together.visible.contains(album.identifier)
          && alone.editable.contains(album.identifier) == together.editable.contains(album.identifier),
        """
        An album got another answer in a question of its own. Decide each album by itself: large libraries are \
        asked about in parts.
        """)
    }
  }

  private static let createsByAlbums = Complaint(
    """
    The answer about new albums depends on the albums in the question. Decide by the options alone: large libraries \
    are asked about in parts.
    """
  )

  /// People give several albums one title.
  private func equalTitles() throws {
    let apart = Self.albums(32)
    let alike = apart.map { album in
      var album = album
      album.title = "Album"
      return album
    }
    // Own and shared, because most policies show such an album.
    guard try Self.same(check([apart[3]], isLimited: true), check([alike[3]], isLimited: true)) else {
      throw Skip("It decides by titles.")
    }
    try expect(
      Self.same(check(apart, isLimited: true), check(alike, isLimited: true)),
      "Albums with the same title got other answers than alone. Tell them apart by their identifiers.")
  }

  private func oddIdentifiers() throws {
    let process = try run.running()
    let albums = ["", "not an album", "../x", String(repeating: "f", count: 4_096)].map {
      Plugin.Album(identifier: $0, title: "Odd", isOwn: true, isShared: true, source: "userLibrary")
    }
    do {
      _ = try process.call(Plugin.DecideAlbums.self, .init(isLimited: false, albums: albums), within: .seconds(5))
    } catch is PluginFailure {}
    try run.probe(process)
  }

  private func thousandsOfAlbums() throws {
    let albums = Self.albums(10_000)
    try run.measure("albums") {
      for start in stride(from: 0, to: albums.count, by: 500) {
        try check(Array(albums[start..<(start + 500)]), isLimited: true)
      }
      return albums.count
    }
  }
}
