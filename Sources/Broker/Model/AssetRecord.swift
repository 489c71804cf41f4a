package import Catalogue
import PhotoModel

/// An asset as it is kept durably: its row in the catalogue and what only its owner or a worker needs.
package struct AssetRecord: Sendable {
  package var row: AssetRow
  /// Empty: it was taken away, whatever the file says.
  package var caption: String?
  /// Camera maker and model, as the file says.
  package var camera: String?
  /// Joins the still and the video of a Live Photo.
  package var livePhotoIdentifier: String?
  package var burstIdentifier: String?
  /// The app that added it through the broker, if one did.
  package var creator: AppIdentifier?
  /// Facts that were edited through the broker.
  package var edited: EditedFields
  /// By which version of the media worker's rules the files were looked into; 0: by none, and what
  /// is known is what their names and times tell.
  package var factsVersion: UInt32
  /// The original first; at least one.
  package var resources: [ResourceRecord]

  /// The caption as it is told: nil where there is none.
  package var shownCaption: String? { caption.flatMap { $0.isEmpty ? nil : $0 } }

  package init(
    row: AssetRow, caption: String?, camera: String?, livePhotoIdentifier: String?,
    burstIdentifier: String?, creator: AppIdentifier?, edited: EditedFields = [],
    factsVersion: UInt32 = 0, resources: [ResourceRecord]
  ) {
    self.row = row
    self.caption = caption
    self.camera = camera
    self.livePhotoIdentifier = livePhotoIdentifier
    self.burstIdentifier = burstIdentifier
    self.creator = creator
    self.edited = edited
    self.factsVersion = factsVersion
    self.resources = resources
  }
}
