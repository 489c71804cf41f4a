import Broker
import Varlink

/// Writes change events as `ObserveChanges` and `FetchPersistentChanges` answer them.
struct EventWriter {
  private let assets: AssetWriter

  init(_ permit: Permit) { assets = AssetWriter(permit) }

  func write(_ event: ChangeEvent, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("event")
    writer.beginObject()
    writer.field("changeToken", event.token)
    writer.key("inserted")
    assets.write(event.inserted, to: &writer)
    writer.key("changed")
    assets.write(event.changed, to: &writer)
    writer.field("removed", event.removed.map(\.description))
    writer.field("albumsChanged", event.albumsChanged)
    writer.field("status", event.status.name)
    writer.field("resynchronize", event.resynchronize)
    writer.endObject()
    writer.endObject()
  }
}
