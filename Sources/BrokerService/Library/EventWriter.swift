import Broker
import PhotoModel
import Varlink

/// Writes change events as `ObserveChanges` and `FetchPersistentChanges` answer them.
struct EventWriter {
  private let event: ChangeEvent
  private let inserted: AssetWriter
  private let changed: AssetWriter

  init(_ event: ChangeEvent, seals: AppSeals) throws(CallFailure) {
    self.event = event
    inserted = try AssetWriter(event.inserted, seals: seals)
    changed = try AssetWriter(event.changed, seals: seals)
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("event")
    writer.beginObject()
    writer.field("changeToken", event.token)
    writer.key("inserted")
    inserted.write(to: &writer)
    writer.key("changed")
    changed.write(to: &writer)
    writer.field("removed", event.removed.map(\.description))
    writer.field("albumsChanged", event.albumsChanged)
    writer.field("status", event.status.name)
    writer.field("resynchronize", event.resynchronize)
    writer.endObject()
    writer.endObject()
  }
}
