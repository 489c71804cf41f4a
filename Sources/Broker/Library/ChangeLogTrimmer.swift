import Limits
import PhotoModel

/// The last sequence of a library's change log before the present period.
struct ChangeLogMark: Equatable {
  var period: Int64
  var sequence: UInt64

  init(period: Int64, sequence: UInt64) { (self.period, self.sequence) = (period, sequence) }

  init?(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let period = Int64(parts[0]), let sequence = UInt64(parts[1]) else { return nil }
    self.init(period: period, sequence: sequence)
  }

  var text: String { "\(period) \(sequence)" }
}

/// Bounds the change logs of all libraries by age and length.
package struct ChangeLogTrimmer {
  let broker: Broker

  /// Drops changes that are older than one whole ``BrokerLimits/changeLogPeriod``, and folds long
  /// logs. Call it periodically. Setting the clock back has no effect.
  package func trim() {
    forgetOldChanges()
    for library in broker.libraries.values where library.changes.isLogFull { fold(library) }
  }

  private func fold(_ library: LibraryState) {
    let name = library.record.name
    let views = broker.grants.decided {
      $0.record.key.library == name && $0.record.key.level == .readWrite && $0.record.status.grantsAccess
    }
    library.changes.foldLog(views)
  }

  private func forgetOldChanges() {
    let period = broker.environment.now.microseconds / 1_000_000 / BrokerLimits.changeLogPeriod.components.seconds
    for (name, library) in broker.libraries {
      let present = ChangeLogMark(period: period, sequence: library.changes.presentSequence)
      let keep = StoreChange.putSetting(name: SettingName.changeLog + name.description, value: present.text)
      // A greater mark belongs to an earlier library of the same name.
      guard let mark = broker.libraryNotes.changeLogMarks[name], mark.sequence <= present.sequence else {
        broker.libraryNotes.changeLogMarks[name] = present
        broker.store.commit([keep]) { _ in }
        continue
      }
      guard period > mark.period else { continue }
      broker.libraryNotes.changeLogMarks[name] = present
      broker.store.commit([keep] + library.changes.forget(through: mark.sequence) + broker.restartViews(in: library)) {
        _ in
      }
      library.changes.signalObservers()
    }
  }
}
