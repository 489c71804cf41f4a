import BrokerInterface

/// The words of decisions about photos.
enum DecidedPhotos {
  /// The change of a photo, for instance `changed the caption of IMG_1.jpg`; nil for other decisions.
  static func action(_ decision: Admin.DecisionInfo) -> String? {
    let file = decision.photo?.filename ?? "a photo"
    switch decision.action {
    case "editPhoto":
      let fields = (decision.photo?.after?.fields ?? []).map { "the \(names[$0] ?? $0)" }
      return "changed " + (fields.isEmpty ? file : "\(fields.joined(separator: ", ")) of \(file)")
    case "addPhoto": return "added \(file)"
    case "deletePhoto": return "deleted \(file)"
    case "resetPhoto": return "reset \(file) to its file"
    default: return nil
    }
  }

  private static let names = ["favorite": "favourite mark", "creationDate": "date", "location": "place"]

  /// The values of a photo, for one line; nil: there was none.
  static func values(_ values: Admin.DecidedValues?) -> String? {
    values.map { values in
      values.fields.map { field in
        switch field {
        case "favorite": values.favorite ?? false ? "favourite" : "no favourite"
        case "creationDate": values.creationDate.map { Words.moment($0) } ?? "no date"
        case "location": values.location.map { "\($0.latitude), \($0.longitude)" } ?? "no place"
        case "caption": values.caption.map { "\"\($0)\"" } ?? "no caption"
        default: field
        }
      }.joined(separator: "; ")
    }
  }
}
