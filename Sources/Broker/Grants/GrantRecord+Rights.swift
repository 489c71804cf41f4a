import Limits
package import PhotoModel

extension AuthorizationStatus {
  /// Whether the status gives access.
  package var grantsAccess: Bool { self == .authorized || self == .limited }
}

extension GrantRecord {
  init(undecided key: GrantKey, accessor: Accessor, now: Timestamp) {
    self.init(
      key: key, status: .notDetermined, isPaused: false, expires: nil, albumPolicy: "own", role: .owner, decided: now,
      accessor: accessor, epoch: 0,
      // Another generation than that of a forgotten grant, whose change tokens must not work here.
      viewGeneration: UInt32(truncatingIfNeeded: now.microseconds / 1_000))
  }

  /// The rights that both this record and `target` give. They are in force while the change to
  /// `target` is being stored, and after a failure of the commit.
  func narrowed(to target: GrantRecord) -> GrantRecord {
    var result = self
    switch (status, target.status) {
    case (_, .notDetermined), (_, .restricted), (_, .denied), (.authorized, .limited): result.status = target.status
    case (_, .authorized), (_, .limited): break
    }
    if target.isPaused { result.setPaused(true, by: target.pausedBy) }
    let end = [expires, target.expires].compactMap { $0 }.min()
    if end != expires || target.isOnce && !isOnce {
      result.setEnd(end, isOnce: isOnce || target.isOnce, by: target.endSetBy)
    }
    if Self.reach(of: target.albumPolicy) < Self.reach(of: albumPolicy) { result.albumPolicy = target.albumPolicy }
    if termsInForce != target.termsInForce {
      result.terms = termsInForce.narrowed(to: target.termsInForce)
      // The default stays one, also for the access that comes later.
      let photos = terms.allowance[.photosPerDay]
      if photos == target.terms.allowance[.photosPerDay] { result.terms.allowance[.photosPerDay] = photos }
    }
    // Other conditions wait for the commit.
    if LiveSelection.agree(live, target.live) { result.live?.exclude(target.live?.excluded ?? []) }
    result.accessor = target.accessor
    return result
  }

  /// Whether both records give the app the same rights.
  /// - Parameter untilItEnds: whether to ignore when the grants end.
  func hasRights(of other: GrantRecord, untilItEnds: Bool = false) -> Bool {
    status == other.status && isPaused == other.isPaused
      && (untilItEnds || expires == other.expires && isOnce == other.isOnce)
      && albumPolicy == other.albumPolicy && termsInForce == other.termsInForce
      && accessor == other.accessor
  }

  /// The role whose decision the end counts as. A person who decided later takes over the end that a
  /// rule set, so that the rule gives nothing back when it comes.
  var roleOfEnd: DecisionRole {
    guard endSetBy == .rule, role != .rule else { return endSetBy ?? role }
    return .owner
  }

  /// The album policy in force. Full access has no restriction (R49).
  package var policyInForce: String { status == .authorized ? "full" : albumPolicy }

  /// Whether an app sees other assets or other facts than under the other record.
  func isOtherView(than other: GrantRecord) -> Bool {
    status != other.status || status.grantsAccess && termsInForce.withheld != other.termsInForce.withheld
  }

  /// The terms under the present status.
  package var termsInForce: GrantTerms {
    var terms = terms
    terms.location = terms.location ?? (status == .authorized)
    if status == .authorized { terms.allowance[.photosPerDay] = terms.allowance[.photosPerDay] ?? 0 }
    return terms
  }

  private static func reach(of policy: String) -> Int {
    switch policy {
    case "none": 0
    case "own": 1
    case "full": 3
    default: 2
    }
  }

  /// For people and the record of decisions, for instance `limited, 3 selected, paused`.
  func summary(selected: Int) -> String {
    var words = [status.name]
    if status == .limited { words.append("\(selected) selected") }
    if live != nil { words.append("live") }
    if isPaused { words.append("paused") }
    if let expires { words.append("until \(expires.microseconds)") }
    if isOnce { words.append("once") }
    if status == .limited && albumPolicy != "own" { words.append("albums \(albumPolicy)") }
    if status.grantsAccess, key.level == .readWrite { words += [terms.summary].filter { !$0.isEmpty } }
    return words.joined(separator: ", ")
  }
}

extension GrantTerms {
  /// The differences from ``standard``, for people and the record of decisions.
  var summary: String {
    var words: [String] = []
    if let location { words.append(location ? "with location" : "without location") }
    if !captions { words.append("without captions") }
    if !files {
      words.append(pixels < BrokerLimits.picturePixels.upperBound ? "pictures up to \(pixels) pixels" : "pictures only")
    }
    if !changes { words.append("read-only") }
    switch deletions {
    case .never: words.append("without deletions")
    case .ask: break
    case .allow: words.append("deletes without asking")
    }
    if let photos = allowance[.photosPerHour] { words.append("\(photos) photos an hour") }
    if let photos = allowance[.photosPerDay] {
      words.append(photos > 0 ? "\(photos) photos a day" : "without allowance")
    }
    if let bytes = allowance[.bytesPerHour] { words.append("\(bytes) bytes an hour") }
    if let bytes = allowance[.bytesPerDay] { words.append("\(bytes) bytes a day") }
    return words.joined(separator: ", ")
  }
}
