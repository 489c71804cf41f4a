package import Catalogue
import PhotoModel

/// One grant as it is at this moment: the record, its selection, and what its view has been told.
///
/// Whoever holds one holds the truth: every admission and every release reads it, and an edit is one assignment here.
package final class GrantState {
  package var record: GrantRecord
  /// Survives limited to full to limited, and a pause (R4, R132).
  package var selection: Selection
  /// What `selection` will be when every commit under way is durable. Edits are worked out from this one.
  package var planned: Selection
  /// Which albums the grant's policy shows, compiled when the policy last answered.
  package var albums: AlbumAccess
  var feed = GrantFeed()

  package init(record: GrantRecord, selection: Selection, albums: AlbumAccess = .none) {
    self.record = record
    self.selection = selection
    planned = selection
    self.albums = albums
  }

  /// Call when the kind of view changes (limited, full, nothing), with the library's `presentSequence`: change tokens from
  /// before then ask the app to start anew.
  package func beginView(at sequence: UInt64) {
    record.viewGeneration &+= 1
    record.viewSince = sequence
  }

  /// What the grant shows now; nil where it shows nothing. `subset` is what a token was narrowed to.
  package func view(subset: Selection? = nil) -> View? {
    guard record.key.level == .readWrite, !record.isPaused else { return nil }
    return switch record.status {
    case .authorized: .full(subset: subset)
    case .limited: .limited(selection, subset: subset)
    case .notDetermined, .restricted, .denied: nil
    }
  }
}
