package import PhotoModel

/// Who deleted an asset that is in the trash, and when.
package struct Deletion: Sendable, Equatable {
  package let app: AppIdentifier
  package let time: Timestamp

  package init(app: AppIdentifier, time: Timestamp) {
    self.app = app
    self.time = time
  }
}
