import Catalogue
package import PhotoModel

/// An app's deletion of photos that waits for a person (R153). It belongs to one call, and is not
/// stored.
package final class DeletionRequest: WaitingRequest {
  package let identifier: AppIdentifier
  package let app: App
  package let asked: Timestamp
  /// The photos, with their versions when the person was asked.
  let photos: [(number: AssetNumber, version: UInt32)]
  /// The app's name in the question.
  let displayName: String
  let permit: Permit
  let completion: Completion<DeletionRequest>

  init(
    identifier: AppIdentifier, app: App, asked: Timestamp, photos: [(number: AssetNumber, version: UInt32)],
    permit: Permit, completion: @escaping Completion<DeletionRequest>
  ) {
    self.identifier = identifier
    self.app = app
    self.asked = asked
    self.photos = photos
    self.permit = permit
    self.completion = completion
    displayName = app.record.manifest.displayName
  }

  package var library: LibraryState { permit.library }

  /// The owner's identifiers of the photos, without those that are gone meanwhile.
  package var assets: [AssetIdentifier] {
    photos.compactMap { library.catalogue.row(of: $0.number)?.identifier }
  }

  /// Whether all photos are as the person was shown them.
  package var isCurrent: Bool { photos.allSatisfy { library.catalogue.row(of: $0.number)?.version == $0.version } }

  /// Its app's access may have ended, and its name changed.
  package var mayStayOpen: Bool {
    let key = permit.grant.record.key
    let present = try? permit.session.authorize(permit.verbs, level: key.level, library: key.library)
    return present?.grant === permit.grant && library.record.appsDelete && !isRenamed
  }

  var isRenamed: Bool { displayName != app.record.manifest.displayName }
}
