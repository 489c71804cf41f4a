/// A rectangle on the map, in degrees. It crosses the antimeridian if `west` is greater than
/// `east`.
public struct Region: Hashable, Sendable {
  /// Southern edge.
  public let south: Double
  /// Western edge.
  public let west: Double
  /// Northern edge.
  public let north: Double
  /// Eastern edge.
  public let east: Double

  /// Creates a rectangle.
  public init(south: Double, west: Double, north: Double, east: Double) {
    self.south = south
    self.west = west
    self.north = north
    self.east = east
  }
}
