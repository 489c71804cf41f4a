package import Broker

extension SQLiteStore {
  /// Copies the whole state into a file of its own, ledger entries that wait included, while the
  /// broker goes on (R144).
  ///
  /// The copy holds the keys that tokens and identifiers are made with: whoever reads it can do
  /// what the daemon can. `notes` are what it says of what is beside it. `completion` runs on the
  /// broker's thread; it fails with `refused` while another copy is being made, and with `full`
  /// where the state's file system has no room for a second one.
  package func backUp(
    notes: [BackupNote] = [], _ completion: @escaping @Sendable (Result<BackupFile, StoreFailure>) -> Void
  ) {
    let progress = Progress(BackupCopy?.none)
    read { (result: Result<Result<BackupFile, StoreFailure>, StoreFailure>) in
      completion(result.flatMap(\.self))
    } piece: { (writer) throws(SQLiteError) in
      if progress.value == nil { writer.writeWaitingLedger() }
      let connection = try writer.connected()
      // The copy's own troubles are answered, and are no reason to give the connection up.
      do throws(SQLiteError) {
        if progress.value == nil {
          guard connection.backup == nil else {
            return .failure(
              StoreFailure(code: .refused, message: "Another backup is being made; wait until it is done."))
          }
          progress.value = try connection.beginBackup(into: writer.folder.backup, notes: notes)
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
      self.init(
        code: .full,
        message: "The file system of the broker's state has no room for a copy of it. Make room, then ask again.")
    default:
      self.init(
        code: .input,
        message: "The copy could not be made (\(error.message)). The state itself is as it was; ask again.")
    }
  }
}
