import Broker
import Macaroons
import PhotoModel
import Testing

/// Compares the broker with a minimal model of its decisions, over random sequences of events.
@Suite struct DecisionModelTests {
  struct Model {
    var status = AuthorizationStatus.notDetermined
    var isPaused = false
    var selection: Set<Int> = []
    var isAsked = false
    var isEnding = false
    var generation = 0

    var visible: Set<Int>? {
      guard !isPaused else { return nil }
      return switch status {
      case .authorized: Set(0..<10)
      case .limited: selection
      case .notDetermined, .restricted, .denied: nil
      }
    }

    mutating func end(_ status: AuthorizationStatus) {
      self.status = status
      isPaused = false
      isEnding = false
      generation += 1
      if status == .notDetermined { selection = [] } else { isAsked = false }
    }
  }

  @Test(arguments: 0..<40)
  func `R2 to R18 after any events in any order an app sees what the rules say`(_ seed: Int) throws {
    let world = try World()
    var random = Random(state: UInt64(seed) &* 0x9e37_79b9 &+ 1)
    let app = try world.app()
    let identifier = app.app!.identifier
    let own = try done { app.introduce(.test(), completion: $0) }.token
    var session = app
    var model = Model()
    var tokens: [(text: String, generation: Int)] = []
    for _ in 0..<60 {
      let chosen = Set((0..<10).filter { _ in random.next() % 3 == 0 })
      switch random.next() % 12 {
      case 0, 1:
        session.requestAuthorization(level: .readWrite, wait: false) { _ in }
        if model.status == .notDetermined { model.isAsked = true }
      case 2 where model.isAsked, 3 where model.isAsked:
        model.isAsked = false
        let isEnding = random.next() % 3 == 0
        let end = isEnding ? GrantSettings.End.at(world.environment.now.advanced(by: .seconds(1_800))) : nil
        switch random.next() % 3 {
        case 0:
          try world.answer(.allow, end: end)
          model.isEnding = isEnding
          model.status = .authorized
        case 1:
          try world.answer(.select, selecting: chosen.sorted(), end: end)
          model.isEnding = isEnding
          model.status = .limited
          model.selection = chosen
        default:
          try world.answer(.deny)
          model.end(.denied)
        }
      case 4 where model.status == .limited:
        _ = try world.edit(session, add: chosen.sorted())
        model.selection.formUnion(chosen)
      case 5 where model.status == .limited:
        _ = try world.edit(session, remove: chosen.sorted())
        model.selection.subtract(chosen)
      case 6:
        _ = try world.set(session, .limited)
        if !model.status.grantsAccess { model.isPaused = false }
        model.status = .limited
        model.isAsked = false
      case 7:
        _ = try world.set(session, .authorized)
        if !model.status.grantsAccess { model.isPaused = false }
        model.status = .authorized
        model.isAsked = false
      case 8:
        let end = [AuthorizationStatus.denied, .restricted, .notDetermined][Int(random.next() % 3)]
        _ = try world.set(session, end, by: end == .restricted ? world.root : nil)
        model.end(end)
      case 9 where model.status.grantsAccess:
        let paused = random.next() % 2 == 0
        _ = try done {
          world.anna.grants.pause(
            RevocationScope(library: world.photos, app: identifier, level: .readWrite), paused: paused, completion: $0)
        }
        model.isPaused = paused
      case 10:
        try world.restart()
        session = world.connect()
        _ = try session.attach(own)
      default:
        world.environment.advance(.seconds(3600))
        if random.next() % 2 == 0 { _ = world.broker.expiry.runDue() }
        if model.isEnding {
          let suggestion = model.selection
          model.end(.notDetermined)
          model.selection = suggestion
        }
      }
      #expect(try session.status(.readWrite) == model.status)
      #expect(world.anna.prompts.views(language: nil).isEmpty == !model.isAsked)
      if model.status != .notDetermined {
        let answer = try done { session.requestAuthorization(level: .readWrite, completion: $0) }
        if let token = answer.token { tokens.append((token, model.generation)) }
        #expect((answer.token != nil) == model.status.grantsAccess)
      }
      #expect((try? Set(world.fetch(session))) == model.visible)
      for token in tokens.suffix(8) {
        let other = world.connect()
        let isGood = model.status.grantsAccess && token.generation == model.generation
        #expect((code { try other.attach(token.text) } == nil) == isGood)
        other.close()
      }
    }
  }

  struct Random {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
