import Broker
import PhotoModel

extension Writer {
  func apply(_ changes: [StoreChange]) throws(SQLiteError) {
    // Change log entries are small, so those of one commit become one blob.
    var entries: [LibraryName: [ChangeRecord]] = [:]
    for change in changes {
      switch change {
      case .appendChanges(let library, let records): entries[library, default: []] += records
      case .trimChanges(let library, let first):
        try self.changes.append(entries.removeValue(forKey: library) ?? [], to: library)
        try self.changes.trim(of: library, below: first)
      case .foldChanges(let library, let last, let views):
        try self.changes.append(entries.removeValue(forKey: library) ?? [], to: library)
        try self.changes.fold(of: library, through: last, views)
      case .removeLibrary(let library):
        entries[library] = nil
        try remove(library)
      default: try apply(change)
      }
    }
    for (library, records) in entries { try self.changes.append(records, to: library) }
  }

  private func apply(_ change: StoreChange) throws(SQLiteError) {
    switch change {
    case .putLibrary(let record): try put(record)
    case .putApp(let record): try rights.put(record)
    case .removeApp(let app):
      try connected().run("DELETE FROM apps WHERE identifier = ?", .identifier(app.value))
      try connected().run("DELETE FROM picker_uses WHERE app = ?", .identifier(app.value))
    case .noteFormerApp(let app): try rights.note(app)
    case .putGrant(let record): try rights.put(record)
    case .removeGrant(let key): try rights.removeGrant(key)
    case .putSelection(let key, let chunks): try rights.putSelection(key, chunks)
    case .removeSelection(let key): try rights.removeSelection(key)
    case .putToken(let record): try rights.put(record)
    case .revokeToken(let accessor):
      try connected().run("UPDATE tokens SET is_revoked = 1 WHERE accessor = ?", .identifier(accessor.value))
      try connected().run("DELETE FROM token_budgets WHERE accessor = ?", .identifier(accessor.value))
    case .forgetToken(let accessor):
      try connected().run("DELETE FROM tokens WHERE accessor = ? AND is_revoked = 1", .identifier(accessor.value))
    case .takeBudget(_, let record): try rights.put(record)
    case .putPrompt(let record): try rights.put(record)
    case .removePrompt(let prompt):
      try connected().run("DELETE FROM prompts WHERE identifier = ?", .identifier(prompt.value))
    case .decide(let record, let change, let number): try decisions.insert(record, change, number)
    case .putRule(let rule): try rights.put(rule)
    case .removeRule(let library, let name): try rights.removeRule(name, of: library)
    case .putAsset(let library, let record): try assets.put(record, in: library)
    case .updateRow(let library, let row, let edited): try assets.update(row, edited, in: library)
    case .setCaption(let library, let asset, let caption):
      try connected().run(
        "UPDATE assets SET caption = ? WHERE id = ?", SQLiteValue(caption), .integer(try assets.key(asset, in: library))
      )
    case .reread(let library, let asset):
      // 0 stands for files that were never read.
      try connected().run(
        "UPDATE assets SET facts_version = facts_version - 1 WHERE id = ? AND facts_version > 1",
        .integer(try assets.key(asset, in: library)))
    case .awaitTrash(let library, let asset, let isWaiting):
      try connected().run(
        isWaiting
          ? "INSERT OR IGNORE INTO awaiting_trash (asset) VALUES (?)" : "DELETE FROM awaiting_trash WHERE asset = ?",
        .integer(try assets.key(asset, in: library)))
    case .noteDeletion(let library, let asset, let deletion): try assets.put(deletion, of: asset, in: library)
    case .noteDigest(let library, let asset, let contentVersion, let digest):
      try assets.put(digest: digest, of: contentVersion, asset: asset, in: library)
    case .removeAsset(let library, let asset): try assets.remove(asset, in: library)
    case .noteMissing(let library, let asset, let time): try assets.note(missing: asset, of: library, since: time)
    case .putDetached(let library, let file): try put(file, in: library)
    case .forgetDetached(let library, let time): try forgetDetached(of: library, placesEndedBefore: time)
    case .putAlbum(let library, let record): try assets.put(record, in: library)
    case .removeAlbum(let library, let album):
      try connected().run(
        "DELETE FROM albums WHERE library = ? AND identifier = ?", .integer(try number(of: library)), .identifier(album)
      )
    case .notePick(let library, let app, let assets, let time):
      try connected().run(
        """
        INSERT INTO picker_uses (library, app, times, assets, last) VALUES (?1, ?2, 1, ?3, ?4)
        ON CONFLICT DO UPDATE SET times = times + 1, assets = assets + ?3, last = max(last, ?4)
        """, .integer(try number(of: library)), .identifier(app.value), SQLiteValue(assets), .integer(time.microseconds)
      )
    case .putSetting(let name, let value):
      try connected().run(
        "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", .text(name),
        .text(value))
    case .keepCatalogue(let library, let kept): try assets.put(kept, of: library)
    case .appendChanges, .foldChanges, .trimChanges, .removeLibrary: break
    }
  }
}
