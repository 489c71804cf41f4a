import PhotoModel
import PluginHost
import PluginKit
import Testing

struct PolicyTests {
  /// Returns a policy's answer from a process of its own, and expects the same from one in the
  /// daemon and from a program in another language.
  private func decide(_ name: String, _ question: AlbumPolicyQuestion, options: [String: String] = [:]) throws
    -> AlbumPolicyAnswer
  {
    let settings = PluginSettings(options: options)
    let isolated = IsolatedAlbumPolicy(
      name: name, settings: settings, program: try Installed.finder.program(for: name, object: "album-policies"))
    let trusted = TrustedAlbumPolicy(name: name, settings: settings, object: try Installed.object("album-policies"))
    let installed = try Installed()
    try installed.install("policies", python: PythonPlugin.policies)
    let program = IsolatedAlbumPolicy(
      name: name, settings: settings, program: try installed.finder.program(for: name, object: "policies"))
    let policies: [any AlbumPolicyPlugin] = [isolated, trusted, program]
    defer { for policy in policies { policy.stop() } }
    let answers = try policies.map { try $0.decide(question) }
    for answer in answers.dropFirst() {
      #expect(answer.visible == answers[0].visible)
      #expect(answer.editable == answers[0].editable)
      #expect(answer.mayCreate == answers[0].mayCreate)
    }
    return answers[0]
  }

  @Test func `R46 the none policy shows and creates no albums`() throws {
    let answer = try decide("none", FaultTests.question(10))
    #expect(answer.visible.isEmpty)
    #expect(answer.editable.isEmpty)
    #expect(!answer.mayCreate)
  }

  @Test func `R47 R48 the own policy shows an app's own albums and no others`() throws {
    let answer = try decide("own", FaultTests.question(10))
    #expect(Set(answer.visible.map(\.low)) == [0, 2, 4, 6, 8])
    #expect(answer.editable == answer.visible)
    #expect(answer.mayCreate)
  }

  @Test func `R45 R49 the full policy shows every album, in limited mode without shared ones`() throws {
    #expect(try Set(decide("full", FaultTests.question(10)).visible.map(\.low)) == [0, 1, 2, 3, 5, 6, 7, 8])
    #expect(try decide("full", FaultTests.question(10, limited: false)).visible.count == 10)
  }

  @Test
  func `the shared-read policy shows own and shared albums, in limited mode without cloud-shared ones`()
    throws
  {
    func album(_ number: UInt64, own: Bool = false, shared: Bool = false, _ source: SourceType = .userLibrary)
      -> AlbumPolicyQuestion.Album
    {
      .init(
        identifier: AlbumIdentifier(high: 0, low: number), title: "A\(number)", isOwn: own, isShared: shared,
        source: source)
    }
    let albums = [album(1, own: true), album(2, shared: true), album(3), album(4, shared: true, .cloudShared)]
    let limited = try decide("shared-read", AlbumPolicyQuestion(isLimited: true, albums: albums))
    #expect(Set(limited.visible.map(\.low)) == [1, 2])
    #expect(limited.editable.map(\.low) == [1])
    #expect(limited.mayCreate)
    let full = try decide("shared-read", AlbumPolicyQuestion(isLimited: false, albums: albums))
    #expect(Set(full.visible.map(\.low)) == [1, 2, 4])
    let without = try decide(
      "shared-read", AlbumPolicyQuestion(isLimited: true, albums: albums), options: ["create": "false"])
    #expect(!without.mayCreate)
    #expect(without.visible == limited.visible)
  }

  @Test
  func `a third-party policy program has its own options and shows no unrequested album`()
    throws
  {
    let installed = try Installed()
    try installed.install("policies", python: PythonPlugin.policies)
    let policy = IsolatedAlbumPolicy(
      name: "family-albums", settings: PluginSettings(options: ["word": "Kin"]),
      program: try installed.finder.program(for: "family-albums", object: "policies"))
    defer { policy.stop() }
    let albums = ["Kin 2024", "Family", "Kin secrets"].enumerated().map { place, title in
      AlbumPolicyQuestion.Album(
        identifier: AlbumIdentifier(high: 0, low: UInt64(place)), title: title, isOwn: false, isShared: place < 2,
        source: .userLibrary)
    }
    let answer = try policy.decide(AlbumPolicyQuestion(isLimited: true, albums: albums))
    #expect(answer.visible.map(\.low) == [0])
    #expect(answer.editable.isEmpty)
    #expect(answer.mayCreate)
  }

  @Test func `thousands of albums take several questions and one answer`() throws {
    #expect(try decide("own", FaultTests.question(5_001)).visible.count == 2_501)
    #expect(try decide("own", FaultTests.question(0)).mayCreate)
  }
}
