import Indexer
import Limits
import PhotoModel
import PluginKit
import Varlink

/// The JSON sidecar of a photo in an export of Google Photos.
struct TakeoutSidecar {
  static let limitBytes = 1 << 20
  private static let captionBytes = 2_048
  /// Google's time is an instant. A smaller difference may come from its guess at the zone of a
  /// camera's clock, and is no correction of the date.
  private static let zoneSeconds: UInt64 = 86_400

  private var title: String
  private var taken: Int64?
  private var location: GeoPoint?
  private var fileLocation: GeoPoint?
  private var caption: String?
  private var isFavourite = false

  /// Nil: this is no JSON of Google Photos, or it is damaged.
  init?(_ bytes: [UInt8]) {
    let rules = DecodingRules(rejectsUnknownFields: false, messageLimitBytes: Self.limitBytes)
    guard var reader = try? JSONReader(bytes.span, rules: rules), let found = try? JSONObject(from: &reader),
      (try? reader.finish()) != nil, case .string(let title) = found["title"]
    else { return nil }
    self.title = title
    if case .object(let time) = found["photoTakenTime"], case .string(let seconds) = time["timestamp"] {
      taken = Int64(seconds)
    }
    (location, fileLocation) = (Self.place(found["geoData"]), Self.place(found["geoDataExif"]))
    if case .string(let text) = found["description"] { caption = Self.cleaned(text) }
    isFavourite = found["favorited"] == .bool(true)
  }

  /// A place without one has zeros.
  private static func place(_ value: JSONValue?) -> GeoPoint? {
    guard case .object(let place) = value, let latitude = degrees(place["latitude"]),
      let longitude = degrees(place["longitude"]), latitude != 0 || longitude != 0
    else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  private static func degrees(_ value: JSONValue?) -> Double? {
    switch value {
    case .double(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  /// The text as the media worker cleans captions: without control characters, and cut.
  private static func cleaned(_ text: String) -> String? {
    var (cleaned, bytes) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      let kept = ["\n", "\t", "\r"].contains(scalar) ? " " : scalar
      guard kept.value >= 0x20, !(0x7f...0x9f).contains(kept.value) else { continue }
      bytes += kept.utf8.count
      guard bytes <= captionBytes else { break }
      if !cleaned.isEmpty || kept != " " { cleaned.append(kept) }
    }
    while cleaned.last == " " { cleaned.removeLast() }
    return cleaned.isEmpty ? nil : String(cleaned)
  }

  /// The shortest file name that Google may have cut.
  private static let cutCharacters = 47

  /// Whether the title can be that of a photo with this file name. Google replaces some characters,
  /// and cuts long names.
  func isOf(_ filename: String) -> Bool {
    func plain(_ name: String) -> String {
      let lower = name.lowercased()
      let stem = lower[..<(lower.lastIndex(of: ".") ?? lower.endIndex)]
      // The number of a duplicate is not part of the title.
      let counted = stem.hasSuffix(")") ? stem.lastIndex(of: "(") : nil
      return stem[..<(counted ?? stem.endIndex)].filter { $0.isLetter || $0.isNumber }
    }
    let (own, titled) = (plain(filename), plain(title))
    guard FileKind(title) == .other || FileKind.ending(title) == FileKind.ending(filename) else { return false }
    guard !own.isEmpty, !titled.isEmpty else { return filename == title }
    return own == titled || filename.count >= Self.cutCharacters && titled.starts(with: own)
  }

  /// - Parameter fillsGaps: whether another sidecar wins over this one.
  func apply(to facts: inout ItemFacts, fillsGaps: Bool) {
    if let taken, isWanted(taken, facts.capture, fillsGaps) {
      facts.capture = ItemFacts.Capture(
        localSeconds: taken, microseconds: 0, offsetMinutes: 0, origin: .offset, isLocal: false)
    }
    if !fillsGaps || facts.location == nil { facts.location = location ?? facts.location ?? fileLocation }
    if !fillsGaps || facts.caption == nil { facts.caption = caption ?? facts.caption }
    facts.isFavourite = facts.isFavourite || isFavourite
  }

  private func isWanted(_ taken: Int64, _ known: ItemFacts.Capture?, _ fillsGaps: Bool) -> Bool {
    guard let known, known.origin != .partial else { return true }
    let (difference, overflow) = known.localSeconds.subtractingReportingOverflow(taken)
    return !fillsGaps && (overflow || difference.magnitude > Self.zoneSeconds)
  }
}
