/// The rights of a library that one decision sets, and one undo sets back.
package enum LibraryAspect: Sendable {
  case offers, delegation, originals, deletions, terms

  init(of change: ValueChange<LibraryRights>) {
    let (before, after) = (change.before, change.after)
    if before.sharesOriginals != after.sharesOriginals {
      self = .originals
    } else if before.appsDelete != after.appsDelete {
      self = .deletions
    } else if before.defaultTerms != after.defaultTerms {
      self = .terms
    } else {
      self = before.offeredTo != after.offeredTo ? .offers : .delegation
    }
  }

  var action: String {
    switch self {
    case .offers: "offer"
    case .delegation: "delegate"
    case .originals: "originals"
    case .deletions: "deletions"
    case .terms: "terms"
    }
  }

  /// For the record of decisions.
  func words(_ record: LibraryRecord) -> String {
    switch self {
    case .offers: return DecisionRecord.list(record.offeredTo)
    case .originals:
      return record.sharesOriginals ? "originals of edited photos shared" : "originals of edited photos kept back"
    case .deletions: return record.appsDelete ? "apps delete" : "apps delete nothing"
    case .terms: return record.defaultTerms == .standard ? "standard terms" : record.defaultTerms.summary
    case .delegation:
      var words = ["owner \(record.owner)"]
      if !record.coOwners.isEmpty {
        words.append("co-owners " + record.coOwners.sorted().map(String.init).joined(separator: " "))
      }
      if record.administratorsSee { words.append("administrators see") }
      if record.administratorsDecide { words.append("administrators decide") }
      return words.joined(separator: ", ")
    }
  }
}
