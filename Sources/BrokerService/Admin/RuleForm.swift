import Broker
import BrokerInterface
import Limits
import PhotoModel

enum RuleForm {
  static func record(_ rule: Admin.Rule) throws(CallFailure) -> RuleRecord {
    let answer = try CallFailure.named(rule.answer, in: "rules.answer", by: \RuleAnswer.rawValue)
    // No app can have such an identifier, so the rule would never match.
    if let identifier = rule.identifier, !ManifestReader.isIdentifier(identifier) {
      throw .invalid("rules.identifier", ManifestReader.identifierRule)
    }
    if let identity = rule.verifiedIdentity, !(1...ServiceLimits.textBytes).contains(identity.utf8.count) {
      throw .invalid("rules.verifiedIdentity", "it has 1 to \(ServiceLimits.textBytes) bytes")
    }
    var selectors: [RuleSelector] = []
    for selector in rule.select ?? [] { selectors.append(try self.selector(selector, isLive: rule.live == true)) }
    return RuleRecord(
      library: try AdminParameters.library(rule.library), name: rule.name, identifier: rule.identifier,
      uid: UInt32(clamping: rule.uid), systemIdentity: rule.verifiedIdentity,
      level: try LibraryMethods.level(rule.level), answer: answer, selectors: selectors, albumPolicy: rule.albumPolicy,
      terms: try AdminParameters.terms(rule.terms), lifetimeSeconds: rule.lifetime,
      live: try LiveForm.live(among: rule.select, rule.live), author: 0, role: .owner,
      made: Timestamp(microseconds: 0))
  }

  private static func selector(_ selector: Admin.Selector, isLive: Bool) throws(CallFailure) -> RuleSelector {
    guard selector.identifiers == nil, selector.hidden == nil, selector.neverShare == nil,
      selector.album == nil || isLive
    else {
      throw .refused(
        .ruleByName,
        "A rule chooses by pattern, dates, name, type, favourites or number, and not by identifiers or other marks. "
          + "It takes an album only with \"live\": true, because an album changes after the rule is made.")
    }
    // An invalid pattern is refused now and not when an app asks.
    if let glob = selector.glob { _ = try Glob(glob) }
    if let name = selector.filename, name.utf8.count > ServiceLimits.textBytes {
      throw .invalid("rules.select.filename", "it has at most \(ServiceLimits.textBytes) bytes")
    }
    let mediaType = try CallFailure.named(selector.mediaType, in: "rules.select.mediaType", by: \MediaType.name)
    if let last = selector.last, last < 0 { throw .invalid("rules.select.last", "it is negative") }
    // An empty range matches no photo.
    if let from = selector.createdFrom, let before = selector.createdBefore, from >= before {
      throw .invalid("rules.select.createdBefore", "it is not later than createdFrom, so no photo can match")
    }
    return RuleSelector(
      glob: selector.glob, createdFrom: try date(selector.createdFrom, "rules.select.createdFrom"),
      createdBefore: try date(selector.createdBefore, "rules.select.createdBefore"), filename: selector.filename,
      mediaType: mediaType, favourite: selector.favorite, last: selector.last.map { Int(clamping: $0) },
      everything: selector.all ?? false,
      album: try selector.album.map { text throws(CallFailure) in
        try AdminParameters.album(text)
      })
  }

  private static func date(_ microseconds: Int64?, _ field: String) throws(CallFailure) -> Timestamp? {
    guard let microseconds else { return nil }
    guard ServiceLimits.dates.contains(microseconds) else {
      throw .invalid(
        field, "it is outside of the range \(ServiceLimits.dates.lowerBound) to \(ServiceLimits.dates.upperBound)")
    }
    return Timestamp(microseconds: microseconds)
  }

  /// - Parameters:
  /// - withSelectors: False for callers who do not see photos, because a pattern names some.
  /// - rests: Whether the rule answers nothing for now.
  /// - restsOver: The app because of which it rests.
  /// - albums: The library's albums.
  static func shown(
    _ rule: RuleRecord, withSelectors: Bool, rests: Bool, restsOver: String?, albums: LibraryAlbums?
  ) -> Admin.Rule {
    Admin.Rule(
      library: rule.library.description, name: rule.name, identifier: rule.identifier, uid: Int64(rule.uid),
      verifiedIdentity: rule.systemIdentity, level: rule.level.rawValue, answer: rule.answer.rawValue,
      select: withSelectors && !rule.selectors.isEmpty ? rule.selectors.map { shown($0) } : nil,
      albumPolicy: rule.albumPolicy,
      lifetime: rule.lifetimeSeconds, author: Int64(rule.author), made: rule.made.microseconds,
      rests: rests, restsOver: restsOver,
      terms: rule.terms.isEmpty
        ? nil
        : Admin.Terms(
          location: rule.terms.location, captions: rule.terms.captions, files: rule.terms.files,
          pixels: rule.terms.pixels.map { Int64($0) }, changes: rule.terms.changes,
          deletions: rule.terms.deletions?.name, allowance: rule.terms.allowance),
      live: rule.live == nil ? nil : true,
      albumTitle: withSelectors ? rule.live?.album.flatMap { albums?[$0]?.title } : nil)
  }

  static func shown(_ selector: RuleSelector) -> Admin.Selector {
    Admin.Selector(
      glob: selector.glob, album: selector.album?.description, createdFrom: selector.createdFrom?.microseconds,
      createdBefore: selector.createdBefore?.microseconds, filename: selector.filename,
      mediaType: selector.mediaType?.name,
      favorite: selector.favourite, last: selector.last.map { Int64($0) }, all: selector.everything ? true : nil)
  }
}
