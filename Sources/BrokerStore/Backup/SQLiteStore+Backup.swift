package import Broker

extension SQLiteStore {
  /// Copies the whole state into a file, waiting ledger entries included, while the broker runs
  /// (R144).
  ///
  /// The copy holds the keys of tokens and identifiers, so its reader can do everything that the
  /// daemon can. `notes` describe files beside the state. `completion` runs on the broker's thread.
  /// It fails with `refused` during another backup, and with `full` if the state's file system has
  /// no room for a second copy.
  package func backUp(notes: [BackupNote] = [], _ completion: @escaping StoreCompletion<BackupFile>) {
    let progress = Progress(BackupCopy?.none)
    read(of: nil) { (result: Result<Result<BackupFile, StoreFailure>, StoreFailure>) in
      completion(result.flatMap(\.self))
    } piece: { (writer) throws(SQLiteError) in
      if progress.value == nil { writer.writeWaitingLedger() }
      let connection = try writer.connected()
      // An error of the copy is only reported: the connection itself is sound.
      do throws(SQLiteError) {
        if progress.value == nil {
          guard connection.backup == nil else {
            return .failure(
              StoreFailure(.refused, "Another backup is running. Wait until it is done."))
          }
          progress.value = try connection.beginBackup(into: writer.database.folder.backup, notes: notes)
        }
        guard let file = try progress.value?.step() else { return nil }
        connection.backup = nil
        return .success(file)
      } catch {
        connection.backup = nil
        return .failure(StoreFailure(backup: error))
      }
    }
  }
}

extension StoreFailure {
  fileprivate init(backup error: SQLiteError) {
    switch error.kind {
    case .full:
      self.init(.full, "The file system of the broker's state has no room for a copy. Free space, then try again.")
    default:
      self.init(.input, "The copy could not be made (\(error.message)). The state itself is unchanged. Try again.")
    }
  }
}
