import BrokerInterface
import Glibc
import Accounts
import Limits

/// Dates, sizes, receipts and other values as text for people.
enum Words {
  /// A moment in the caller's time zone, in ISO 8601: `2024-07-03T14:05:06+02:00`. Nil: `-`.
  static func moment(_ microseconds: Int64?) -> String {
    guard let microseconds else { return "-" }
    var seconds = time_t(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
    var fields = tm()
    guard localtime_r(&seconds, &fields) != nil else { return "-" }
    var buffer = [CChar](repeating: 0, count: 64)
    let length = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &fields)
    let text = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text + ZoneOffset.text(Int64(fields.tm_gmtoff) / 60)
  }

  /// A decision's before or after text, with readable times and durations.
  ///
  /// - Parameter level: the level of the access that was decided.
  static func outcome(_ text: String, at level: String? = nil) -> String {
    // The text may quote an app's name, which looks as it likes.
    let text = ShownText.claimed(text)
    guard !text.hasPrefix("called ") else { return text }
    var parts = text.split(separator: ", ", omittingEmptySubsequences: false)
    for index in parts.indices.dropLast() where parts[index] == "limited" && parts[index + 1].hasSuffix(" selected") {
      guard let count = Int64(parts[index + 1].dropLast(" selected".count)) else { continue }
      parts.replaceSubrange(index...index + 1, with: [Substring(Amount.count(count, "selected photo"))])
      break
    }
    return parts.map { part in
      if part.hasPrefix("until "), let time = Int64(part.dropFirst("until ".count)) { return "until \(moment(time))" }
      if part.hasPrefix("for "), part.hasSuffix(" s"), let seconds = Int64(part.dropFirst(4).dropLast(2)) {
        return "for \(Amount.duration(seconds: seconds))"
      }
      if AccessWords.statuses.known(String(part)) != nil { return AccessWords.status(String(part), at: level) }
      if part == "deletion refused" { return "deletion declined" }
      return rule(part) ?? String(part)
    }.joined(separator: ", ")
  }

  /// A rule in a decision's text, `name: answer level for app`; nil for another text.
  private static func rule(_ part: Substring) -> String? {
    let words = part.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count > 1, words[0].hasSuffix(":"), let answer = AccessWords.ruleAnswers.known(String(words[1])) else {
      return nil
    }
    let rest = words.dropFirst(2).joined().split(separator: " ", maxSplits: 1).map(String.init)
    let level = rest.first.map(AccessWords.levels.shown)
    return ([String(words[0]), answer] + [level].compactMap { $0 } + rest.dropFirst()).joined(separator: " ")
  }

  /// A number of bytes: `512 B`, `1.4 MB`.
  static func bytes(_ count: Int64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    var (size, unit) = (Double(count) / 1_000, 0)
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
    while size >= 999.95, unit < units.count - 1 { (size, unit) = (size / 1_000, unit + 1) }
    let tenths = Int64((size * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// The effect of a decision that takes access away, and the deliveries before it.
  ///
  /// - Parameter ends: whether the access ended; else it may only have become less.
  static func receipt(_ receipt: Admin.Receipt, ends: Bool) -> [String] {
    let effect = (ends ? "Stopped." : "In force.") + effect(receipt, ends ? "lost access" : "has less access")
    let picks = takenBack(receipt)
    return [effect, delivered(receipt)]
      + (picks > 0 ? ["\(Amount.count(picks, "picked asset")) can no longer be loaded."] : [])
  }

  /// A receipt of suspended access. The apps' users have no offer of the library any more, but the
  /// decisions stay.
  static func restingReceipt(_ receipt: Admin.Receipt, until end: String) -> [String] {
    let stopped = "Stopped." + effect(receipt, "lost access")
    guard receipt.grants > 0 else { return [stopped, delivered(receipt)] }
    return [
      stopped,
      "\(Amount.count(receipt.grants, "grant")) will apply again, with the same tokens, once \(end). "
        + "To revoke access for good: photobroker grant revoke", delivered(receipt),
    ]
  }

  private static func effect(_ receipt: Admin.Receipt, _ loss: String) -> String {
    let parts = [
      (receipt.connections, Amount.count(receipt.connections, "connection") + " " + loss),
      (receipt.streams, Amount.count(receipt.streams, "transfer") + " cancelled"),
      (receipt.dropped, Amount.count(receipt.dropped, "answer") + " held back"),
    ].filter { $0.0 > 0 }.map(\.1)
    return parts.isEmpty ? " No app was connected." : " \(parts.joined(separator: ", "))."
  }

  private static func delivered(_ receipt: Admin.Receipt) -> String {
    guard receipt.assetsDelivered > 0 else { return "No photo's content was delivered before." }
    let assets = Amount.count(receipt.assetsDelivered, "asset")
    return "Delivered before, and not called back: \(assets), \(bytes(receipt.bytesDelivered))."
  }

  /// Whether the receipt has nothing to report.
  static func isEmpty(_ receipt: Admin.Receipt) -> Bool {
    [
      receipt.grants, receipt.connections, receipt.streams, receipt.dropped, takenBack(receipt),
      receipt.assetsDelivered,
      receipt.bytesDelivered,
    ]
    .allSatisfy { $0 == 0 }
  }

  /// The assets that pickers had given and that can no longer be loaded.
  static func takenBack(_ receipt: Admin.Receipt) -> Int64 { receipt.picks ?? 0 }

  /// Whether a grant gives access, now or once the library is offered to the app's user.
  static func gives(_ grant: Admin.GrantInfo) -> Bool { ["authorized", "limited"].contains(grant.status) }

  /// A grant's status and limits. Selected assets that are hidden or trashed show as not visible.
  static func status(_ grant: Admin.GrantInfo) -> String {
    var text = AccessWords.status(grant.status, at: grant.level)
    if grant.status == "limited" {
      text = Amount.count(grant.selected, "selected photo")
      if grant.visible != grant.selected, !grant.paused, grant.resting != true {
        text += ", \(grant.visible) of them visible"
      }
    }
    if grant.paused { text += ", paused" }
    if grant.resting == true, gives(grant) { text += ", not offered" }
    return text
  }

  /// The end of a grant; nil: none.
  static func end(_ grant: Admin.GrantInfo) -> String? {
    grant.once ?? false ? "the app ends" : grant.expires.map(moment)
  }

  /// The conditions of a live selection; nil if it is not live.
  static func live(_ grant: Admin.GrantInfo) -> String? {
    grant.live.map { live in
      let words = live.conditions.map { ": " + SelectorWords.words($0, albumTitle: live.albumTitle) } ?? ""
      return "live" + words + (live.excluded > 0 ? ", without \(Amount.count(Int(live.excluded), "asset"))" : "")
    }
  }

  /// The terms of a grant that lets its app see photos; nil: all facts, and changes.
  /// - Parameter saysDefault: Whether to name an allowance that nobody set.
  static func terms(_ grant: Admin.GrantInfo, saysDefault: Bool = false) -> String? {
    guard grant.level == "readWrite", gives(grant) else { return nil }
    // Limited access with places is unusual, and full access has them.
    let isUnusual = grant.status == "limited" && grant.terms?.location == true
    guard grant.defaultAllowance ?? false else {
      return isUnusual ? self.terms(grant.terms) : restrictions(grant.terms)
    }
    var terms = grant.terms
    let photos = saysDefault ? terms?.photosPerDay : nil
    terms?.photosPerDay = nil
    let words = [
      isUnusual ? "with places" : nil, restrictions(terms),
      photos.map { "\(Amount.count($0, "photo")) a day by default" },
    ].compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// Terms with which access begins, also that places leave.
  static func terms(_ terms: Admin.Terms?) -> String {
    let words = [terms?.location == true ? "with places" : nil, restrictions(terms)].compactMap { $0 }
    return words.isEmpty ? "the broker's own terms" : words.joined(separator: ", ")
  }

  /// The restrictions in terms, and a right to delete without asking; nil: neither.
  static func restrictions(_ terms: Admin.Terms?) -> String? {
    var words: [String] = []
    if terms?.location == false { words.append("without places") }
    if terms?.captions == false { words.append("without captions") }
    if terms?.files == false {
      let limit = terms?.pixels.flatMap { $0 < BrokerLimits.picturePixels.upperBound ? " up to \($0) pixels" : nil }
      words.append("pictures" + (limit ?? " only"))
    }
    if terms?.changes == false { words.append("read-only") }
    if terms?.deletions == "never" { words.append("no deletions") }
    if terms?.deletions == "allow" { words.append("deletes without asking") }
    if let photos = terms?.photosPerHour, photos > 0 { words.append("\(Amount.count(photos, "photo")) an hour") }
    if let photos = terms?.photosPerDay {
      words.append(photos > 0 ? "\(Amount.count(photos, "photo")) a day" : "any number of photos")
    }
    if let bytes = terms?.bytesPerHour, bytes > 0 { words.append("\(self.bytes(bytes)) an hour") }
    if let bytes = terms?.bytesPerDay, bytes > 0 { words.append("\(self.bytes(bytes)) a day") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The limit that a paused app exceeded: `photos than it may in a day`.
  static func exceeded(_ prompt: Admin.PromptInfo) -> String {
    switch prompt.exceeded {
    case "photosPerHour": "photos than it may in an hour"
    case "bytesPerHour": "bytes than it may in an hour"
    case "bytesPerDay": "bytes than it may in a day"
    default: "photos than it may in a day"
    }
  }

  /// An app's description of itself in a prompt.
  static func claimed(_ words: Admin.ShownWords) -> String {
    let reason = words.usageDescription.isEmpty ? "gives no reason" : "“\(ShownText.claimed(words.usageDescription))”"
    return "“\(ShownText.claimed(words.displayName))” (\(words.identifier)): \(reason)"
  }

  /// A user's number, with the account's name if there is one.
  static func user(_ uid: Int64) -> String { "user \(AccountNames.words(uid))" }

  /// An app's claimed name, apart from its verified identity.
  static func app(_ app: Admin.AppInfo) -> String {
    var verified = user(app.uid)
    if let identity = app.verifiedIdentity { verified += ", \(identity)" }
    if app.isInterpreter { verified += "; a script, which is not verified" }
    let note = Alphabets.areMixed(in: app.displayName) ? " (mixed alphabets)" : ""
    return "\(app.identifier) calls itself “\(ShownText.claimed(app.displayName))”\(note); verified: \(verified)"
  }
}
