package import PhotoModel

/// The app that deleted a trashed asset, and the time.
package struct Deletion: Sendable, Equatable {
  package let app: AppIdentifier
  package let time: Timestamp

  package init(app: AppIdentifier, time: Timestamp) {
    self.app = app
    self.time = time
  }
}
