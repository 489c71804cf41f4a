import Broker
import Macaroons
import PhotoModel
import Testing

/// The order of queued changes of a library's content.
@Suite struct TurnsOfChangesTests {
  @Test func `R13 hiding a photo does not wait for apps' earlier requests`() throws {
    let world = try World()
    let permit = try world.app(.allow).authorize(.edit)
    let target = try world.target(permit, 1)
    world.store.isDeferred = true
    var order: [String] = []
    for number in 0..<20 {
      world.library.perform(
        [.setCaption([target], "\(number)")], grant: permit.grant, attenuation: nil, dryRun: false, refusal: { nil }
      ) { _ in order.append("app \(number)") }
    }
    for number in [2, 3] {
      world.library.marks.set(world.selection([number]), favourite: nil, hidden: nil, neverShare: true) { _ in
        order.append("owner \(number)")
      }
    }
    while world.store.pending > 0 { world.store.complete() }
    // A change that is being committed is not overtaken.
    #expect(order.prefix(3) == ["app 0", "owner 2", "owner 3"])
    #expect(order.dropFirst(3) == (1..<20).map { "app \($0)" }[...])
    #expect(world.visible(permit).filter { $0 < 5 } == [0, 1, 4])
  }
}
