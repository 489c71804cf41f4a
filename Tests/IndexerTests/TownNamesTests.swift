import Catalogue
import Foundation
import Indexer
import PhotoModel
import Testing

struct TownNamesTests {
  private static func town(_ name: String?, _ latitude: Double, _ longitude: Double) -> TownTable.Town {
    .init(latitude: latitude, longitude: longitude, zone: "Etc/UTC", name: name, country: "CH")
  }

  @Test func `the installed table knows towns`() throws {
    let file = try Data(contentsOf: URL(filePath: "/usr/share/libgweather-4/Locations.xml"))
    let towns = TownNames(TownTable.stations([UInt8](file)))
    for text in ["z\u{FC}rich", "ZURICH", "Zu\u{308}ri"] {
      #expect(towns.beginning(with: text).map(\.name) == ["Z\u{FC}rich"], "\(text)")
    }
    let near = try #require(GeoPoint(latitude: 47.37, longitude: 8.54))
    let town = try #require(towns.nearest(to: near))
    #expect(town.name == "Z\u{FC}rich" && town.country == "CH" && town.box.contains(near))
    #expect(towns.nearest(to: try #require(GeoPoint(latitude: 35, longitude: -40))) == nil, "the Atlantic")
  }

  @Test func `stations without a name are no towns`() {
    let towns = TownNames([Self.town(nil, 1, 1), Self.town("A", 1.1, 1)])
    #expect(towns.beginning(with: "").map(\.name) == ["A"])
    #expect(towns.nearest(to: GeoPoint(latitude: 1, longitude: 1)!)?.name == "A")
  }

  @Test func `a town at the antimeridian or a pole has the places around it`() throws {
    let towns = TownNames([Self.town("Taveuni", -16.8, 179.99), Self.town("Amundsen", -90, 0)])
    let island = try #require(towns.beginning(with: "tav").first?.box)
    let pole = try #require(towns.beginning(with: "amu").first?.box)
    for longitude in [179.95, 180, -180, -179.95] {
      #expect(island.contains(GeoPoint(latitude: -16.8, longitude: longitude)!), "\(longitude)")
      #expect(pole.contains(GeoPoint(latitude: -89.95, longitude: longitude)!), "\(longitude)")
    }
    #expect(!island.contains(GeoPoint(latitude: -16.8, longitude: 0)!))
    #expect(!pole.contains(GeoPoint(latitude: -89.5, longitude: 0)!))
  }
}
