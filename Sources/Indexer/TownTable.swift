import PhotoModel

/// Towns and their time zones, from two data packages of Debian.
package enum TownTable {
  /// Degrees north and east, and a zone's name such as `Asia/Kabul`.
  package struct Town: Sendable {
    package var latitude: Double
    package var longitude: Double
    package var zone: String
    /// Nil for weather stations.
    package var name: String?
    /// Its code of ISO 3166.
    package var country: String?

    package init(latitude: Double, longitude: Double, zone: String, name: String? = nil, country: String? = nil) {
      self.latitude = latitude
      self.longitude = longitude
      self.zone = zone
      self.name = name
      self.country = country
    }
  }

  /// Reads `Locations.xml` of libgweather-4-common: some 8,000 cities and weather stations. A town
  /// without a zone has that of its state or country; where these have none either, it is left out.
  ///
  /// Source: `locations.dtd` beside it.
  package static func stations(_ file: [UInt8]) -> [Town] {
    var towns: [Town] = []
    // The zone of each open element, from the outermost.
    var zones = [""]
    var point: (Double, Double)?
    // Of the last element with a name.
    var name: String?
    var country: String?
    var rest = file[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(start + 1)...]
      if rest.starts(with: "!--".utf8) {
        while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest = rest.dropFirst() }
        continue
      }
      let tag = text(&rest, until: ">"), content = text(&rest, until: "<", keepsEnd: true)
      // A name may have attributes.
      switch tag.prefix(while: { $0 != " " }) {
      case "named-timezone", "country", "state", "city", "location": zones.append(zones[zones.count - 1])
      case "_name", "name": name = content
      case "iso-code": country = content
      case "tz-hint": zones[zones.count - 1] = content
      case "coordinates":
        let degrees = content.split(separator: " ").compactMap { Double($0) }
        point = degrees.count == 2 ? (degrees[0], degrees[1]) : nil
      case "/city", "/location":
        if let (latitude, longitude) = point {
          let isTown = tag == "/city" && name?.isEmpty == false
          add(latitude, longitude, zones[zones.count - 1], isTown ? name : nil, country, to: &towns)
        }
        (point, name) = (nil, nil)
        fallthrough
      case "/named-timezone", "/country", "/state": if zones.count > 1 { zones.removeLast() }
      default: break
      }
    }
    return towns
  }

  /// Reads `zone.tab` of tzdata: the largest town of each zone and country.
  ///
  /// Source: https://data.iana.org/time-zones/tz-link.html
  package static func largest(_ file: [UInt8]) -> [Town] {
    var towns: [Town] = []
    for line in String(decoding: file, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: "\t")
      guard fields.count >= 3, let middle = fields[1].dropFirst().firstIndex(where: { "+-".contains($0) }),
        let latitude = degrees(fields[1][..<middle], digits: 2),
        let longitude = degrees(fields[1][middle...], digits: 3)
      else { continue }
      add(latitude, longitude, String(fields[2]), to: &towns)
    }
    return towns
  }

  private static func add(
    _ latitude: Double, _ longitude: Double, _ zone: String, _ name: String? = nil, _ country: String? = nil,
    to towns: inout [Town]
  ) {
    guard !zone.isEmpty, GeoPoint(latitude: latitude, longitude: longitude) != nil else { return }
    towns.append(Town(latitude: latitude, longitude: longitude, zone: zone, name: name, country: country))
  }

  private static func text(_ rest: inout ArraySlice<UInt8>, until end: Character, keepsEnd: Bool = false) -> String {
    let place = rest.firstIndex(of: end.asciiValue!) ?? rest.endIndex
    defer { rest = rest[place...].dropFirst(keepsEnd ? 0 : 1) }
    return String(decoding: rest[..<place], as: UTF8.self)
  }

  /// `-DDMM` or `+DDDMMSS` in degrees.
  private static func degrees(_ text: Substring, digits: Int) -> Double? {
    let sign = text.hasPrefix("-") ? -1.0 : 1.0, number = text.dropFirst()
    let parts = [number.prefix(digits), number.dropFirst(digits).prefix(2), number.dropFirst(digits + 2)]
    let values = parts.map { $0.isEmpty ? 0 : Double($0) }
    guard let degrees = values[0], let minutes = values[1], let seconds = values[2] else { return nil }
    return sign * (degrees + minutes / 60 + seconds / 3_600)
  }
}
