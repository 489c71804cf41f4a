/// A rectangle on the map, in degrees; it crosses the antimeridian where `west` is greater than `east`.
public struct Region: Hashable, Sendable {
  /// Southern edge.
  public let south: Double
  /// Western edge.
  public let west: Double
  /// Northern edge.
  public let north: Double
  /// Eastern edge.
  public let east: Double

  /// A rectangle.
  public init(south: Double, west: Double, north: Double, east: Double) {
    self.south = south
    self.west = west
    self.north = north
    self.east = east
  }
}
