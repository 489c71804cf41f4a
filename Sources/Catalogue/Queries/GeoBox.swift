package import PhotoModel

/// A rectangle on the map, edges included. If it crosses the antimeridian, `west` is greater than
/// `east`.
package struct GeoBox: Hashable, Sendable {
  package var southE7: Int32
  package var westE7: Int32
  package var northE7: Int32
  package var eastE7: Int32

  package init(southWest: GeoPoint, northEast: GeoPoint) {
    southE7 = southWest.latitudeE7
    westE7 = southWest.longitudeE7
    northE7 = northEast.latitudeE7
    eastE7 = northEast.longitudeE7
  }

  /// Nil if a number is no latitude or longitude, or the south lies north of the north.
  package init?(south: Double, west: Double, north: Double, east: Double) {
    guard let southWest = GeoPoint(latitude: south, longitude: west),
      let northEast = GeoPoint(latitude: north, longitude: east), south <= north
    else { return nil }
    self.init(southWest: southWest, northEast: northEast)
  }

  package func contains(_ point: GeoPoint) -> Bool {
    guard point.latitudeE7 >= southE7, point.latitudeE7 <= northE7 else { return false }
    return westE7 <= eastE7
      ? point.longitudeE7 >= westE7 && point.longitudeE7 <= eastE7
      : point.longitudeE7 >= westE7 || point.longitudeE7 <= eastE7
  }
}
