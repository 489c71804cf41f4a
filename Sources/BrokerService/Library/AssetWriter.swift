import Broker
import BrokerInterface
import Catalogue
import Macaroons
import PhotoModel
import Varlink

/// Writes assets as an app sees them. Each field goes straight into the reply, because a page of a
/// hundred assets is the most frequent answer.
struct AssetWriter {
  let page: AssetPage
  /// Facts on request, in the page's order; nil: none were asked for.
  var extras: [AssetExtras]?
  private let showsPlaces: Bool
  private let identifiers: [UInt128]
  private let versions: [UInt64]
  /// Estimated bytes of one asset's JSON, enough for most assets.
  private static let estimateBytes = 448

  init(_ page: AssetPage, seals: AppSeals, withholding withheld: WithheldFacts) throws(CallFailure) {
    self.page = page
    showsPlaces = !withheld.contains(.location)
    do throws(BrokerError) {
      identifiers = try seals.identifiers(of: page)
      versions = try seals.versions(of: page)
    } catch { throw .broker(error) }
  }

  func write(to writer: inout JSONWriter) {
    writer.stretch(estimate: page.count * Self.estimateBytes) { pen in
      pen.text("[")
      page.withNames { names in
        for index in page.facts.indices {
          if index > 0 { pen.text(",") }
          Self.write(
            page.facts[index], name: names[index], identifiers[index], versions[index], showsPlaces, to: &pen)
          extras?[index].write(to: &pen)
          pen.text("}")
        }
      }
      pen.text("]")
    }
  }

  /// Leaves the object open, for the facts on request.
  private static func write(
    _ asset: AssetFacts, name: UnsafeBufferPointer<UInt8>, _ identifier: UInt128, _ version: UInt64,
    _ showsPlaces: Bool, to pen: inout JSONPen
  ) {
    pen.text("{\"localIdentifier\":\"")
    pen.hex(UInt64(truncatingIfNeeded: identifier >> 64))
    pen.hex(UInt64(truncatingIfNeeded: identifier))
    write(asset.mediaType, to: &pen)
    if !asset.subtypes.isEmpty { write(asset.subtypes, to: &pen) }
    if let date = showsPlaces ? asset.creationDate : asset.dateWithoutPlace {
      pen.text(",\"creationDate\":")
      pen.integer(date.microseconds)
      if let origin = showsPlaces ? asset.dateOrigin : asset.dateOriginWithoutPlace { write(origin, to: &pen) }
    }
    pen.text(",\"modificationDate\":")
    pen.integer(asset.modificationDate.microseconds)
    pen.text(",\"addedDate\":")
    pen.integer(asset.addedDate.microseconds)
    pen.text(",\"pixelWidth\":")
    pen.integer(Int64(asset.width))
    pen.text(",\"pixelHeight\":")
    pen.integer(Int64(asset.height))
    if asset.mediaType == .video || asset.mediaType == .audio {
      pen.text(",\"duration\":")
      pen.integer(Int64(asset.durationMilliseconds))
    }
    if asset.flags.contains(.favourite) { pen.text(",\"isFavorite\":true") } else { pen.text(",\"isFavorite\":false") }
    if showsPlaces, let location = asset.location {
      pen.text(",\"latitude\":")
      pen.decimal(location.latitudeE7, places: 7)
      pen.text(",\"longitude\":")
      pen.decimal(location.longitudeE7, places: 7)
    }
    pen.text(",\"filename\":")
    pen.string(utf8: name)
    switch asset.sourceType {
    case .userLibrary: pen.text(",\"sourceType\":\"userLibrary\",\"version\":\"")
    case .cloudShared: pen.text(",\"sourceType\":\"cloudShared\",\"version\":\"")
    }
    pen.hex(version)
    pen.text("\"")
  }

  /// Also ends the preceding string. The texts are literals, so that none is built for each asset.
  private static func write(_ type: MediaType, to pen: inout JSONPen) {
    switch type {
    case .unknown: pen.text("\",\"mediaType\":\"unknown\"")
    case .image: pen.text("\",\"mediaType\":\"image\"")
    case .video: pen.text("\",\"mediaType\":\"video\"")
    case .audio: pen.text("\",\"mediaType\":\"audio\"")
    }
  }

  private static func write(_ origin: DateOrigin, to pen: inout JSONPen) {
    switch origin {
    case .offset: pen.text(",\"creationDateOrigin\":\"offset\"")
    case .gps: pen.text(",\"creationDateOrigin\":\"gps\"")
    case .place: pen.text(",\"creationDateOrigin\":\"place\"")
    case .libraryZone: pen.text(",\"creationDateOrigin\":\"libraryZone\"")
    case .file: pen.text(",\"creationDateOrigin\":\"file\"")
    case .edited: pen.text(",\"creationDateOrigin\":\"edited\"")
    case .partial: pen.text(",\"creationDateOrigin\":\"partial\"")
    case .fileName: pen.text(",\"creationDateOrigin\":\"fileName\"")
    case .doubted: pen.text(",\"creationDateOrigin\":\"doubted\"")
    }
  }

  private static func write(_ subtypes: MediaSubtypes, to pen: inout JSONPen) {
    pen.text(",\"mediaSubtypes\":[")
    var isFirst = true
    for (subtype, name) in MediaSubtypes.names where subtypes.contains(subtype) {
      if isFirst { pen.text("\"") } else { pen.text(",\"") }
      pen.plain(name)
      pen.text("\"")
      isFirst = false
    }
    pen.text("]")
  }
}
