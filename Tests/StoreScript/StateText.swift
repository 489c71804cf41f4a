package import Broker
import Catalogue
import PhotoModel

/// A whole state as sorted lines, for comparisons with a readable difference.
package enum StateText {
  package static func lines(
    _ contents: StoreContents, assets: [LibraryName: [AssetRecord]], decisions: [DecisionRecord]
  ) -> [String] {
    var lines: [String] = []
    for library in contents.libraries {
      var record = library.record
      let options = record.options.sorted { $0.key < $1.key }
      record.options = [:]
      let mapping = record.plugins.mappingOptions.sorted { $0.key < $1.key }
      let policies = record.plugins.policyOptions.sorted { $0.key < $1.key }.map {
        ($0.key, $0.value.sorted { $0.key < $1.key })
      }
      record.plugins = LibraryPlugins(cloudMapping: record.plugins.cloudMapping)
      let invitations = record.invitations.map { "\($0) \($1)" }.sorted()
      for key in record.invitations.keys { record[key.role, key.user] = Invitation(.offered, isOpen: false) }
      lines.append("library \(record) \(options) \(mapping) \(policies) \(invitations)")
      lines.append(
        """
        next \(record.name) \(library.nextNumber) \(library.nextSequence) \(library.changesForgotten) \
        \(library.nextDetached)
        """
      )
      lines.append("missing \(record.name) \(library.missing)")
      lines += library.views.map { "view \(record.name) \($0)" }
      lines += library.albums.map { "album \(record.name) \($0)" }
      // Field by field, because a mirror of each record would take most of the tests' time.
      lines += library.changes.map { change in
        let subject = [
          change.asset.map { "\($0.rawValue)" }, change.identifier?.description, change.album?.description,
        ]
        return
          "change \(record.name) \(change.sequence) \(change.kind.rawValue) \(subject) \(change.grant?.hashValue ?? 0)"
      }
      lines += library.pickerUses.map { "picker \(record.name) \($0.key) \($0.value)" }
      lines += library.awaitingTrash.map { "awaiting \(record.name) \($0.rawValue)" }
      lines += library.deletions.map { "deleted \(record.name) \($0.key.rawValue) \($0.value)" }
      lines += rows(of: library).map { "row \(record.name) \($0.number.rawValue) \($0.hashValue)" }
      lines += library.creators.map { "creator \(record.name) \($0.key.rawValue) \($0.value)" }
      lines += (assets[record.name] ?? []).map { "asset \(record.name) \(line($0))" }
    }
    for app in contents.apps {
      var plain = app
      plain.manifest.usageDescription.translations = [:]
      plain.manifest.addUsageDescription.translations = [:]
      let texts = [app.manifest.usageDescription, app.manifest.addUsageDescription].map {
        $0.translations.sorted { $0.key < $1.key }
      }
      lines.append("app \(plain) \(texts)")
    }
    lines += contents.grants.map { "grant \($0)" }
    lines += contents.selections.map { key, chunks in
      "selection \(key) \(chunks.map { "\($0.index): \($0.bytes.count) \($0.bytes.hashValue)" })"
    }
    lines += contents.tokens.map { "token \($0)" }
    lines += contents.prompts.map { "prompt \($0)" }
    lines += contents.rules.map { "rule \($0)" }
    lines += contents.settings.map { "setting \($0)" }
    lines += decisions.enumerated().map { "decision \($0)" }
    return lines.sorted()
  }

  package static func lines(_ model: ModelStore) -> [String] {
    var contents = model.contents
    for index in contents.libraries.indices {
      let assets = model.assets[contents.libraries[index].record.name] ?? [:]
      contents.libraries[index].catalogue = model.catalogue(of: contents.libraries[index].record.name)
      contents.libraries[index].creators = assets.compactMapValues(\.creator)
    }
    let present = model.assets.mapValues { $0.values.filter { !$0.row.flags.contains(.missing) } }
    return lines(contents, assets: present, decisions: model.decisions)
  }

  private static func line(_ asset: AssetRecord) -> String {
    let texts = [
      asset.caption, asset.camera, asset.livePhotoIdentifier, asset.burstIdentifier, asset.creator?.description,
    ]
    let resources = asset.resources.map {
      "\($0.role.rawValue) \($0.locator) \($0.filename) \($0.contentType) \($0.size) \($0.contentVersion) "
        + "\($0.identityHint ?? "-") \($0.digest ?? []) \($0.endsDigest ?? []) \($0.picture)"
    }
    return
      """
      \(asset.row.number.rawValue) \(asset.row.hashValue) \(asset.edited.rawValue) \(asset.ofFile) \
      \(asset.factsVersion) \(texts) \(resources)
      """
  }
}
