import Glibc
package import PhotoModel

/// The time zones at places on Earth, by the cities and weather stations around them.
package struct PlaceZones: Sendable {
  private struct Town: Sendable {
    /// On a sphere of radius 1, whose chords are distances: within 500 km they are too short by
    /// 0.03 %.
    let direction: SIMD3<Double>
    let zone: Int
  }

  private static let kilometre = 1 / 6_371.0
  /// Farther from all towns, for instance at sea, a place has no zone.
  private static let limit = 200 * kilometre

  /// One list for each degree of latitude, from south to north.
  private var bands = [[Town]](repeating: [], count: 181)
  private var zones: [ZoneRules] = []

  /// Towns whose zone has no rules are left out.
  ///
  /// - Parameter rules: The rules of a zone by its name, such as `Asia/Kabul`.
  package init(_ towns: [TownTable.Town], rules: (String) -> ZoneRules?) {
    var numbers: [String: Int] = [:]
    for town in towns {
      if numbers[town.zone] == nil, let found = rules(town.zone) {
        numbers[town.zone] = zones.count
        zones.append(found)
      }
      guard let zone = numbers[town.zone] else { continue }
      bands[Self.band(town.latitude)].append(
        Town(direction: Self.direction(town.latitude, town.longitude), zone: zone))
    }
  }

  /// Minutes east of UTC at a place and its local time. Nil far from all towns, and where the towns
  /// around differ: a border may lie on either side of the place.
  ///
  /// All towns within twice the distance of the nearest plus 50 km must agree. ADR 19 has figures.
  ///
  /// - Parameter seconds: Since 1970, as if the local time were UTC.
  package func offsetMinutes(at place: GeoPoint, local seconds: Int64) -> Int32? {
    let latitude = Double(place.latitudeE7) / 1e7
    let direction = Self.direction(latitude, Double(place.longitudeE7) / 1e7)
    func distances(within radius: Double) -> some Sequence<(zone: Int, distance: Double)> {
      let degrees = radius * 180 / .pi
      return bands[Self.band(latitude - degrees)...Self.band(latitude + degrees)].joined().lazy.map { town in
        let difference = town.direction - direction
        return (town.zone, (difference * difference).sum().squareRoot())
      }
    }
    guard let nearest = distances(within: Self.limit).map(\.distance).min(), nearest < Self.limit else { return nil }
    let radius = nearest * 2 + 50 * Self.kilometre
    let around = Set(distances(within: radius).filter { $0.distance <= radius }.map(\.zone))
    let offsets = Set(around.map { zones[$0].offsetMinutes(atLocal: seconds) })
    return offsets.count == 1 ? offsets.first : nil
  }

  private static func band(_ latitude: Double) -> Int { Int(min(max(latitude, -90), 90) + 90) }

  private static func direction(_ latitude: Double, _ longitude: Double) -> SIMD3<Double> {
    let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
    return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
  }
}
