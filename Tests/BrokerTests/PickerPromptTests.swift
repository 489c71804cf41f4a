import Broker
import Catalogue
import Limits
import Macaroons
import PhotoModel
import Testing

/// Pickers and selection pages that nobody answers (R16, R28, R62).
@Suite struct PickerPromptTests {
  private static let single = PickerConfiguration(
    selectionLimit: 1, mediaTypes: [], isOrdered: false, givesIdentifiers: false, preselected: [])

  /// Dismisses a picker: as the person, or by a disconnect of the app.
  private func putAside(_ world: World, _ app: Session, letsGo: Bool = false) throws {
    try app.presentPicker(Self.single, library: world.photos) { _ in }
    if letsGo { return app.close() }
    _ = try world.anna.pickers.answer(try #require(world.anna.pickers.waiting.first).identifier, assets: nil, again: [])
  }

  @Test func `R28 a picker of a renamed app is another picker`() throws {
    let world = try World()
    let app = try world.app()
    let told = Box<Result<PickerOutcome, BrokerError>>()
    try app.presentPicker(Self.single, library: world.photos) { told.value = $0 }
    let read = try #require(world.anna.pickers.waiting.first?.identifier)
    _ = try done { app.introduce(renamed("Bank"), completion: $0) }
    let photo = try #require(world.library.catalogue.row(of: AssetNumber(1))).identifier
    let refusal = #expect(throws: BrokerError.self) { try world.anna.pickers.answer(read, assets: [photo], again: []) }
    #expect(refusal?.reason?.code == .wordsChanged && told.value == nil)
    let shown = try #require(world.anna.pickers.waiting.first?.identifier)
    #expect(try world.anna.pickers.answer(shown, assets: [photo], again: []) == 1)
    #expect(try told.value?.get().picked.count == 1 && world.anna.pickers.waiting.isEmpty)
  }

  @Test(arguments: [false, true])
  func `R16 R72 dismissed pickers are delayed under any identity`(letsGo: Bool)
    throws
  {
    let world = try World()
    var opened = 0
    var refusals: [BrokerError] = []
    for _ in 0..<40 {
      do {
        try putAside(world, try world.app(), letsGo: letsGo)
        opened += 1
      } catch let error as BrokerError { refusals.append(error) }
    }
    #expect(opened == BrokerLimits.dismissalsPerApp)
    #expect(refusals.allSatisfy { $0.code == .photos(.limitExceeded) && $0.message.contains("1 minute 1 second") })
    // Each further dismissal lengthens the pause, even over a restart.
    try world.restart()
    var pause = BrokerLimits.dismissalPause
    for _ in 0..<20 {
      world.environment.advance(min(pause, BrokerLimits.coolDown) - .seconds(1))
      #expect(code { try putAside(world, try world.app()) } == .photos(.limitExceeded))
      world.environment.advance(.seconds(1))
      try putAside(world, try world.app())
      pause = pause * 2
      if pause > .seconds(4 * 3600) { break }
    }
    // A pick clears the dismissals.
    world.environment.advance(BrokerLimits.coolDown)
    let app = try world.app()
    for _ in 0..<3 {
      try putAside(world, app)
      try app.presentPicker(Self.single, library: world.photos) { _ in }
      _ = try world.anna.pickers.answer(
        try #require(world.anna.pickers.waiting.first).identifier,
        assets: [try #require(world.library.catalogue.row(of: AssetNumber(1))).identifier], again: [])
    }
  }

  @Test func `R16 changing names does not let one user's apps open pickers without end, and other users' apps can`()
    throws
  {
    let world = try World()
    for index in 0..<BrokerLimits.dismissalsPerUser {
      try putAside(world, try world.app(.test("org.example.a\(index)")))
    }
    #expect(code { try putAside(world, try world.app(.test("org.example.fresh"))) } == .photos(.limitExceeded))
    try putAside(world, try world.app(uid: World.anna))
  }
}
