import Limits
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
  /// The longest edge of each picture that the app gets. With ``files`` always the largest.
  package var pixels: Int
  /// Whether the app may edit, add and delete.
  package var changes: Bool
  /// Whether a person is asked before the app's deletions. Only with ``changes``.
  package var deletions: Deletions
  /// The most that the app takes before it is paused (R157).
  package var allowance: Allowance

  /// The app's right to delete photos, from the least to the most (R153).
  package enum Deletions: UInt8, Sendable, CaseIterable, Comparable {
    case never, ask, allow

    package var name: String { String(describing: self) }

    package init?(name: String) {
      guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = value
    }

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  package static let standard = GrantTerms(location: nil, captions: true, files: true, changes: true)

  package init(
    location: Bool?, captions: Bool, files: Bool, pixels: Int = BrokerLimits.picturePixels.upperBound, changes: Bool,
    deletions: Deletions = .ask, allowance: Allowance = Allowance()
  ) {
    self.location = location
    self.captions = captions
    self.files = files
    self.pixels = pixels
    self.changes = changes
    self.deletions = deletions
    self.allowance = allowance
  }

  /// The rights that both give. Neither may depend on a status.
  func narrowed(to other: GrantTerms) -> GrantTerms {
    GrantTerms(
      location: location == true && other.location == true, captions: captions && other.captions,
      files: files && other.files, pixels: min(pixels, other.pixels), changes: changes && other.changes,
      deletions: min(deletions, other.deletions), allowance: allowance.narrowed(to: other.allowance))
  }

  /// These default terms after a change of a library's to `later`: no wider than either.
  func held(by later: GrantTerms) -> GrantTerms { self == later ? self : narrowed(to: later) }

  /// Whether these give at least the rights of `other`. Neither may depend on a status.
  func include(_ other: GrantTerms) -> Bool {
    (location == true || other.location != true) && (captions || !other.captions) && (files || !other.files)
      && pixels >= other.pixels && (changes || !other.changes) && deletions >= other.deletions
      && allowance.includes(other.allowance)
  }

  /// The facts that apps do not get under these terms.
  package var withheld: WithheldFacts {
    (location == true ? [] : WithheldFacts.location).union(captions ? [] : .captions).union(files ? [] : .files)
  }

  /// The verbs that these terms forbid.
  var forbiddenVerbs: Verbs { changes ? deletions == .never ? .delete : [] : [.edit, .add, .delete] }

  /// A person's choice; nil keeps a term.
  package struct Choice: Sendable, Equatable {
    package var location: Bool?
    package var captions: Bool?
    package var files: Bool?
    /// Only with ``files`` false.
    package var pixels: Int?
    package var changes: Bool?
    package var deletions: Deletions?
    package var allowance: Allowance

    package init(
      location: Bool? = nil, captions: Bool? = nil, files: Bool? = nil, pixels: Int? = nil, changes: Bool? = nil,
      deletions: Deletions? = nil, allowance: Allowance = Allowance()
    ) {
      self.location = location
      self.captions = captions
      self.files = files
      self.pixels = pixels
      self.changes = changes
      self.deletions = deletions
      self.allowance = allowance
    }

    package var isEmpty: Bool { self == Choice() }

    /// Whether it names only what a pick can choose, which changes nothing.
    var isOfPick: Bool { self == Choice(location: location, captions: captions, files: files, pixels: pixels) }

    package func apply(to terms: inout GrantTerms) {
      if let location { terms.location = location }
      if let captions { terms.captions = captions }
      if let files { terms.files = files }
      if let pixels = terms.files ? BrokerLimits.picturePixels.upperBound : pixels { terms.pixels = pixels }
      if let changes { terms.changes = changes }
      if let deletions { terms.deletions = deletions }
      terms.allowance.apply(allowance)
    }
  }
}
