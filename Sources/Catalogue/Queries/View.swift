/// The assets that may be seen now. Full and limited access differ in this alone; both take the
/// same path through every query (R41).
package struct View: Sendable {
  enum Kind: Sendable {
    case everything, owner, full
    case limited(Selection)
  }

  let kind: Kind
  let subset: Selection?

  /// Every existing asset, missing ones included. For decisions that take away.
  package static let everything = View(kind: .everything, subset: nil)

  /// Every asset that is not missing, hidden, never-share and trashed ones included. For the owner's settings,
  /// never for an app.
  package static let owner = View(kind: .owner, subset: nil)

  /// Full access, and the picker: all but hidden, never-share and trashed assets (R13).
  /// - Parameter subset: Assets that a token's caveat allows; nil: all.
  package static func full(subset: Selection? = nil) -> View { View(kind: .full, subset: subset) }

  /// Limited access: the selected assets of full access that are not cloud-shared (R45).
  package static func limited(_ selection: Selection, subset: Selection? = nil) -> View {
    View(kind: .limited(selection), subset: subset)
  }
}
