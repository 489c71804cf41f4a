import Broker
import Catalogue
import Macaroons
import PhotoModel
import Testing

/// Large changes are planned and applied in pieces, and others are served in between.
@Suite struct PiecesTests {
  /// Runs one piece at a time.
  private final class Pieces {
    private var waiting: [() -> Bool] = []
    var isEmpty: Bool { waiting.isEmpty }

    func hold(_ world: World) { world.delegate.onPiece = { [unowned self] in waiting.append($0) } }

    func step() {
      guard !waiting.isEmpty else { return }
      let piece = waiting.removeFirst()
      if piece() { waiting.append(piece) }
    }

    func finish() { while !isEmpty { step() } }
  }

  @Test
  func `R13 a hidden photo is invisible once the owner is answered, and its queued pieces are gone`()
    throws
  {
    let world = try World()
    _ = try world.insertMany(590, "more")
    let pieces = Pieces()
    pieces.hold(world)
    let permit = try world.app(.allow).authorize(.read)
    #expect(world.visible(permit).count == 600)
    var changed: Int?
    world.library.marks.set(world.selection(Array(0..<500)), favourite: nil, hidden: true, neverShare: nil) {
      changed = try? $0.get()
    }
    var counts: [Int] = []
    while !pieces.isEmpty {
      pieces.step()
      counts.append(world.visible(permit).count)
      if changed == nil, let last = counts.last, last < 600 {
        #expect(!world.broker.mayRelease(permit), "what was admitted before leaves no more")
      }
    }
    #expect(changed == 500 && counts.last == 100)
    #expect(counts.filter { $0 != 600 && $0 != 100 }.count >= 2, "in pieces: \(counts)")
    #expect(world.store.commits > 0)
  }

  @Test func `R14 a revocation while a request is planned stays outside the request's changes`() throws {
    let world = try World()
    let session = try world.app(.allow)
    let permit = try session.authorize(.edit)
    let targets = try (0..<10).map { try world.target(permit, $0) }
    let pieces = Pieces()
    pieces.hold(world)
    var result: Result<ChangeOutcome, BrokerError>?
    world.library.perform(
      targets.map { .setFavorite([$0], true) }, grant: permit.grant, attenuation: nil, dryRun: false, refusal: { nil }
    ) { result = $0 }
    pieces.step()
    pieces.step()
    // Assets of finished pieces have become invisible too.
    _ = try world.set(session, .limited)
    pieces.finish()
    #expect(code { try result?.get() } == .photos(.identifierNotFound))
    #expect(!world.library.catalogue.row(of: AssetNumber(0))!.flags.contains(.favourite))
  }

  @Test func `R18 access ended between planning and writing ends a request`() throws {
    let world = try World()
    _ = try world.insertMany(590, "more")
    let session = try world.app(.allow)
    let permit = try session.authorize(.edit)
    let targets = try (0..<600).map { try world.target(permit, $0) }
    let pieces = Pieces()
    pieces.hold(world)
    var result: Result<ChangeOutcome, BrokerError>?
    world.library.perform(
      [.setFavorite(targets, true)], grant: permit.grant, attenuation: nil, dryRun: false,
      refusal: { world.broker.mayRelease(permit) ? nil : permit.refusal }
    ) { result = $0 }
    pieces.step()
    pieces.step()
    let commits = world.store.commits
    _ = try world.set(session, .denied)
    pieces.finish()
    #expect(code { try result?.get() } == permit.refusal.code)
    #expect(
      world.store.commits == commits + 1 && !world.library.catalogue.row(of: AssetNumber(0))!.flags.contains(.favourite)
    )
  }

  @Test func `one request's changes are durable in one commit, and the next request waits for it`() throws {
    let world = try World()
    _ = try world.insertMany(590, "more")
    let permit = try world.app(.allow).authorize(.edit)
    let targets = try (0..<600).map { try world.target(permit, $0) }
    let pieces = Pieces()
    pieces.hold(world)
    let before = world.store.commits
    var order: [String] = []
    for (name, value) in [("first", true), ("second", false)] {
      world.library.perform(
        [.setFavorite(targets, value)], grant: permit.grant, attenuation: nil, dryRun: false, refusal: { nil }
      ) { order.append((try? $0.get()) == nil ? "no" : name) }
    }
    pieces.finish()
    #expect(order == ["first", "second"] && world.store.commits == before + 2)
  }
}
