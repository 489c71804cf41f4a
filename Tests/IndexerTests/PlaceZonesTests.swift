import Foundation
import Indexer
import PhotoModel
import Testing

struct PlaceZonesTests {
  private static func rules(_ name: String) -> ZoneRules? {
    (try? Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))).flatMap { ZoneRules(file: [UInt8]($0)) }
  }

  private static let places: PlaceZones = {
    let files = ["/usr/share/libgweather-4/Locations.xml", "/usr/share/zoneinfo/zone.tab"]
      .map { [UInt8]((try? Data(contentsOf: URL(filePath: $0))) ?? Data()) }
    return PlaceZones(TownTable.stations(files[0]) + TownTable.largest(files[1]), rules: rules)
  }()

  /// 2024-07-03T12:00 and 2024-01-03T12:00.
  private func offsets(_ latitude: Double, _ longitude: Double, in places: PlaceZones = places) -> [Int32?] {
    [1_720_008_000, 1_704_283_200].map {
      places.offsetMinutes(at: GeoPoint(latitude: latitude, longitude: longitude)!, local: $0)
    }
  }

  @Test(arguments: [
    (47.37, 8.54, 120, 60), (35.68, 139.69, 540, 540), (27.70, 85.32, 345, 345), (40.71, -74.01, -240, -300),
    (-33.87, 151.21, 600, 660), (64.15, -21.94, 0, 0), (51.51, -0.13, 60, 0), (-17.71, 178.06, 720, 720),
    (-13.83, -171.77, 780, 780), (34.53, 69.17, 270, 270),
  ]) func `R163 a town's offset is that of its zone, in summer and in winter`(
    _ latitude: Double, _ longitude: Double, _ summer: Int32, _ winter: Int32
  ) {
    #expect(offsets(latitude, longitude) == [summer, winter])
  }

  @Test func `R163 no zone is guessed at sea, at the poles and beside borders of zones`() {
    // The Atlantic, the North Pole, the bridge of Ciudad Juárez and El Paso, the gate of Wagah.
    for (latitude, longitude) in [(35.0, -40.0), (90, 0), (31.75, -106.48), (31.60, 74.57)] {
      #expect(offsets(latitude, longitude) == [nil, nil], "\(latitude) \(longitude)")
    }
    #expect(offsets(32.53, -117.02) == [-420, -480], "a border without a difference of clocks")
    #expect(offsets(32.53, -114.75) == [-420, nil], "Yuma has no summer time")
  }

  @Test func `towns take the zone of the nearest element around them, and comments are skipped`() {
    let file = """
      <gweather><region><country><tz-hint>Asia/Kabul</tz-hint>
      <!-- <location><coordinates>1 1</coordinates></location> -->
      <location><name>A</name><coordinates>10.5 -20.25</coordinates></location>
      <state><tz-hint>Asia/Tokyo</tz-hint><city><coordinates>11 21</coordinates><tz-hint>Etc/UTC</tz-hint>
      </city><location><coordinates>12 22</coordinates></location></state>
      <location><coordinates>13 23</coordinates></location></country>
      <country><location><coordinates>14 24</coordinates></location></country></region></gweather>
      """
    #expect(
      TownTable.stations([UInt8](file.utf8)).map { "\($0.latitude) \($0.longitude) \($0.zone)" } == [
        "10.5 -20.25 Asia/Kabul", "11.0 21.0 Etc/UTC", "12.0 22.0 Asia/Tokyo", "13.0 23.0 Asia/Kabul",
      ])
    let largest = TownTable.largest(
      [UInt8]("# code\nXX\t+3430-06912\tAsia/Kabul\nYY\t-7824+1063036\tEtc/UTC\tnote\n".utf8))
    #expect(largest.map(\.zone) == ["Asia/Kabul", "Etc/UTC"])
    #expect(largest.map { ($0.latitude * 100).rounded() } == [3_450, -7_840])
    #expect(largest.map { ($0.longitude * 100).rounded() } == [-6_920, 10_651])
  }

  @Test func `cities have names and their country's code, and weather stations have none`() {
    let file = """
      <country><_name>Italy</_name><iso-code>IT</iso-code><tz-hint>Etc/UTC</tz-hint>
      <location><name>Airport</name><coordinates>1 1</coordinates></location>
      <city><_name msgctxt="City in Italy">Roma</_name><coordinates>2 2</coordinates></city>
      <city><coordinates>3 3</coordinates></city><city><name></name><coordinates>4 4</coordinates></city></country>
      """
    let towns = TownTable.stations([UInt8](file.utf8))
    #expect(towns.map(\.name) == [nil, "Roma", nil, nil])
    #expect(towns.map(\.country) == ["IT", "IT", "IT", "IT"])
  }

  @Test func `damaged tables give fewer towns`() {
    let file = [UInt8]("<country><tz-hint>Etc/UTC</tz-hint><city><coordinates>1 1</coordinates></city></country>".utf8)
    for count in 0...file.count { #expect(TownTable.stations(Array(file.prefix(count))).count <= 1) }
    for text in ["</city></city></country>", "<coordinates>1e999 nan</coordinates></city>", "<!--", "<"] {
      #expect(TownTable.stations([UInt8](text.utf8)).isEmpty, "\(text)")
    }
    for text in ["X\t+\tEtc/UTC", "X\t+1-1", "X\t++\t", "\t\t\t", "X\t+9999+99999\tEtc/UTC"] {
      #expect(TownTable.largest([UInt8](text.utf8)).isEmpty, "\(text)")
    }
    #expect(
      offsets(1, 1, in: PlaceZones([.init(latitude: 1, longitude: 1, zone: "No/Zone")], rules: { _ in nil })) == [
        nil, nil,
      ])
  }
}
