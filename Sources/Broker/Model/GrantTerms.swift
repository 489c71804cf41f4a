package import Macaroons

/// The facts that a grant delivers and the changes that it allows, beside its selection (R149,
/// R151).
package struct GrantTerms: Sendable, Equatable {
  /// Whether the app gets places. Nil: only with full access.
  package var location: Bool?
  /// Whether the app gets captions, and the names of people.
  package var captions: Bool
  /// Whether the app gets files. Without, it gets pictures of them.
  package var files: Bool
  /// Whether the app may edit, add and delete.
  package var changes: Bool
  /// The most different photos of which the app gets bytes in a day (R157). Nil: no such limit.
  package var photosPerDay: Int64?

  package static let standard = GrantTerms(location: nil, captions: true, files: true, changes: true)

  package init(location: Bool?, captions: Bool, files: Bool, changes: Bool, photosPerDay: Int64? = nil) {
    self.location = location
    self.captions = captions
    self.files = files
    self.changes = changes
    self.photosPerDay = photosPerDay
  }

  /// The rights that both give. Neither may depend on a status.
  func narrowed(to other: GrantTerms) -> GrantTerms {
    GrantTerms(
      location: location == true && other.location == true, captions: captions && other.captions,
      files: files && other.files, changes: changes && other.changes,
      photosPerDay: [photosPerDay, other.photosPerDay].compactMap { $0 }.min())
  }

  /// Whether these give at least the rights of `other`. Neither may depend on a status.
  func include(_ other: GrantTerms) -> Bool {
    (location == true || other.location != true) && (captions || !other.captions) && (files || !other.files)
      && (changes || !other.changes) && (photosPerDay ?? .max) >= (other.photosPerDay ?? .max)
  }

  /// The facts that apps do not get under these terms.
  package var withheld: WithheldFacts {
    (location == true ? [] : WithheldFacts.location).union(captions ? [] : .captions).union(files ? [] : .files)
  }

  /// The verbs that need ``changes``.
  static let changingVerbs: Verbs = [.edit, .add, .delete]

  /// A person's choice; nil keeps a term.
  package struct Choice: Sendable, Equatable {
    package var location: Bool?
    package var captions: Bool?
    package var files: Bool?
    package var changes: Bool?
    /// 0: no limit.
    package var photosPerDay: Int64?

    package init(
      location: Bool? = nil, captions: Bool? = nil, files: Bool? = nil, changes: Bool? = nil, photosPerDay: Int64? = nil
    ) {
      self.location = location
      self.captions = captions
      self.files = files
      self.changes = changes
      self.photosPerDay = photosPerDay
    }

    package var isEmpty: Bool { self == Choice() }

    func apply(to terms: inout GrantTerms) {
      if let location { terms.location = location }
      if let captions { terms.captions = captions }
      if let files { terms.files = files }
      if let changes { terms.changes = changes }
      if let photosPerDay { terms.photosPerDay = photosPerDay > 0 ? photosPerDay : nil }
    }
  }
}
