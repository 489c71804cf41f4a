package import Catalogue
package import PhotoModel

/// What one decision did to edits that files contradict, in full, so that it can be undone.
package struct ConflictChange: Sendable, Equatable {
  /// What had been edited where the file's was taken instead: of the conflict's fields, what held before.
  package struct Edit: Sendable, Equatable {
    package var creationDate: Timestamp?
    package var dateOrigin: DateOrigin?
    package var location: GeoPoint?
    package var caption: String?

    package init(creationDate: Timestamp?, dateOrigin: DateOrigin?, location: GeoPoint?, caption: String?) {
      self.creationDate = creationDate
      self.dateOrigin = dateOrigin
      self.location = location
      self.caption = caption
    }
  }

  package struct Item: Sendable, Equatable {
    package var asset: AssetNumber
    /// As it was before, open.
    package var conflict: EditConflict
    /// Nil: the edit was kept.
    package var edit: Edit?

    package init(asset: AssetNumber, conflict: EditConflict, edit: Edit?) {
      self.asset = asset
      self.conflict = conflict
      self.edit = edit
    }
  }

  /// By asset.
  package var items: [Item]
  /// Whether the conflicts were opened again, as an undo does; else they ended.
  package var areOpened: Bool

  package init(items: [Item], areOpened: Bool = false) { (self.items, self.areOpened) = (items, areOpened) }

  /// Whether it was about what files say.
  var isOfFiles: Bool { items.contains { $0.edit != nil } }
  /// Those whose caption has to be known before it can be undone.
  var captioned: [AssetNumber] { items.filter { $0.edit != nil && $0.conflict.fields.contains(.caption) }.map(\.asset) }
}
