import Catalogue
import PhotoModel
import Testing

@testable import Broker

/// An app that sees two photos, one of which will go missing.
struct Shown {
  let world: World
  let app: Session
  let away: AssetRecord
  let number: Int
  let other: Int
}

/// Makes a library of two photos, and an app that sees both.
func shown(edited: EditedFields = [], caption: String? = nil) throws -> Shown {
  let world = try World()
  var away = world.photo("a.jpg", hint: "i1")
  (away.edited, away.caption) = (edited, caption)
  let numbers = try take(world, [away, world.photo("b.jpg", hint: "i2", digest: [2])])
  let app = try world.app(.select, selecting: [numbers[1]])
  _ = try world.edit(app, add: [numbers[0]])
  return Shown(world: world, app: app, away: away, number: numbers[0], other: numbers[1])
}

/// Inserts a scan's files, and returns their numbers.
func take(_ world: World, _ found: [AssetRecord]) throws -> [Int] {
  try done { world.library.scan.apply(found.map { .insert($0) }, completion: $0) }.map { Int($0.rawValue) }
}

/// The photos of a grant's selection, which must equal the stored one.
func selected(_ world: World, _ key: GrantKey) throws -> Set<Int> {
  let grant = try #require(world.broker.grant(key))
  let selected = world.library.catalogue.numbers(in: grant.selection)
  #expect(world.library.catalogue.numbers(in: grant.planned) == selected)
  return Set(selected.map { Int($0.rawValue) })
}
