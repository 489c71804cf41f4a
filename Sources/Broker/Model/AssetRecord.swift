package import Catalogue
import PhotoModel

/// An asset as it is stored: its row in the catalogue, and facts for its owner and workers only.
package struct AssetRecord: Sendable {
  package var row: AssetRow
  /// Empty: removed by an edit, even if the file has a caption.
  package var caption: String?
  /// Camera maker and model from the file.
  package var camera: String?
  /// An identifier shared by the still and the video of a Live Photo.
  package var livePhotoIdentifier: String?
  package var burstIdentifier: String?
  /// The app that added it through the broker; nil: none.
  package var creator: AppIdentifier?
  /// Fields that were edited through the broker.
  package var edited: EditedFields
  /// The changed file's values of the edited fields.
  package var ofFile: FileValues
  /// The version of the media worker's rules by which the files were parsed; 0: not parsed, only
  /// names and times are known.
  package var factsVersion: UInt32
  /// The original first; at least one.
  package var resources: [ResourceRecord]

  /// The caption to show; nil if there is none.
  package var shownCaption: String? { caption.flatMap { $0.isEmpty ? nil : $0 } }

  package init(
    row: AssetRow, caption: String?, camera: String?, livePhotoIdentifier: String?,
    burstIdentifier: String?, creator: AppIdentifier?, edited: EditedFields = [],
    ofFile: FileValues = FileValues(),
    factsVersion: UInt32 = 0, resources: [ResourceRecord]
  ) {
    self.row = row
    self.caption = caption
    self.camera = camera
    self.livePhotoIdentifier = livePhotoIdentifier
    self.burstIdentifier = burstIdentifier
    self.creator = creator
    self.edited = edited
    self.ofFile = ofFile
    self.factsVersion = factsVersion
    self.resources = resources
  }
}
