/// A place on Earth, WGS 84, in units of 1e-7 degrees (about a centimetre).
@frozen public struct GeoPoint: Hashable, Sendable {
  public var latitudeE7: Int32
  public var longitudeE7: Int32

  /// Creates a place from degrees; nil if not finite or outside -90...90 and -180...180.
  public init?(latitude: Double, longitude: Double) {
    guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    latitudeE7 = Int32((latitude * 1e7).rounded())
    longitudeE7 = Int32((longitude * 1e7).rounded())
  }

  @inlinable public init(latitudeE7: Int32, longitudeE7: Int32) {
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
  }

  public var latitude: Double { Double(latitudeE7) / 1e7 }
  public var longitude: Double { Double(longitudeE7) / 1e7 }
}
