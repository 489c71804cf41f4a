package import Catalogue
import Glibc
package import PhotoModel

/// Finds towns by their names, and the town nearest to a place.
package struct TownNames: Sendable {
  package struct Town: Sendable {
    package let name: String
    /// Its code of ISO 3166; nil if the table has none.
    package let country: String?
    /// About 20 km around the middle of the town.
    package let box: GeoBox
    fileprivate let folded: [UInt8]
    /// On a sphere of radius 1.
    fileprivate let direction: SIMD3<Double>
  }

  /// Degrees of latitude from the middle of a box to its edge, about 10 km.
  private static let reach = 0.09
  /// The distance on a sphere of radius 1, from which a place is near no town.
  private static let limit = 50 / 6_371.0

  private let towns: [Town]

  /// Takes those that have names.
  package init(_ towns: [TownTable.Town]) {
    self.towns = towns.compactMap { town in
      guard let name = town.name, let box = Self.box(town.latitude, town.longitude) else { return nil }
      return Town(
        name: name, country: town.country, box: box, folded: NameFold.fold(name),
        direction: Self.direction(town.latitude, town.longitude))
    }
  }

  /// The towns whose name begins with a text. Letter case and accents are ignored.
  package func beginning(with text: String) -> [Town] {
    let folded = NameFold.fold(text)
    return towns.filter { $0.folded.starts(with: folded) }
  }

  /// The nearest town within 50 km; nil if there is none.
  package func nearest(to place: GeoPoint) -> Town? {
    let direction = Self.direction(place.latitude, place.longitude)
    func distance(_ town: Town) -> Double {
      let difference = town.direction - direction
      return (difference * difference).sum()
    }
    let nearest = towns.map { (town: $0, distance: distance($0)) }.min { $0.distance < $1.distance }
    return nearest.flatMap { $0.distance <= Self.limit * Self.limit ? $0.town : nil }
  }

  /// A box at a pole has all longitudes, and one at the antimeridian crosses it.
  private static func box(_ latitude: Double, _ longitude: Double) -> GeoBox? {
    let (south, north) = (max(latitude - reach, -90), min(latitude + reach, 90))
    let width = reach / max(cos(latitude * .pi / 180), 0.000_1)
    guard width < 180 else { return GeoBox(south: south, west: -180, north: north, east: 180) }
    func turned(_ degrees: Double) -> Double {
      degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
    }
    return GeoBox(south: south, west: turned(longitude - width), north: north, east: turned(longitude + width))
  }

  private static func direction(_ latitude: Double, _ longitude: Double) -> SIMD3<Double> {
    let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
    return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
  }
}
