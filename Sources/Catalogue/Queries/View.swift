/// What may be seen at this moment: the one thing that full and limited access differ in; the path through every
/// query is the same (R41).
package struct View: Sendable {
  enum Kind: Sendable {
    case owner, full
    case limited(Selection)
  }

  let kind: Kind
  let subset: Selection?

  /// Every asset that exists, hidden, never-share and trashed ones included: the owner's settings, never an app.
  package static let owner = View(kind: .owner, subset: nil)

  /// Full access, and the picker: all but hidden, never-share and trashed assets (R13).
  /// - Parameter subset: what a token's caveat narrows it to; nil: not narrowed.
  package static func full(subset: Selection? = nil) -> View { View(kind: .full, subset: subset) }

  /// Limited access: of what full access shows, the selected assets that are not cloud-shared (R45).
  package static func limited(_ selection: Selection, subset: Selection? = nil) -> View {
    View(kind: .limited(selection), subset: subset)
  }
}
