import Broker
import Catalogue
import Macaroons
import PhotoModel
import Varlink

struct EventWriter {
  private let event: ChangeEvent
  private let inserted: AssetWriter
  private let changed: AssetWriter

  init(_ event: ChangeEvent, seals: AppSeals, withholding withheld: WithheldFacts) throws(CallFailure) {
    self.event = event
    inserted = try AssetWriter(AssetPage(event.inserted), seals: seals, withholding: withheld)
    changed = try AssetWriter(AssetPage(event.changed), seals: seals, withholding: withheld)
  }

  /// Records the event's assets in the ledger.
  /// - Throws: `ledgerUnavailable`; the event may not be sent then.
  func note(in disclosures: Disclosures, _ permit: Permit) throws(CallFailure) {
    try disclosures.noteMetadata(inserted.page.facts, permit)
    try disclosures.noteMetadata(changed.page.facts, permit)
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
    writer.field("albums", event.albums?.map(\.description))
    writer.field("status", event.status.name)
    writer.field("resynchronize", event.resynchronize)
    writer.field("away", event.isAway)
    writer.endObject()
    writer.endObject()
  }
}
