/// Names of the settings that the broker stores.
package enum SettingName {
  /// The greatest epoch so far, decimal.
  package static let epochFloor = "epochFloor"
  /// The greatest epoch as noted outside the database. The program adds it to
  /// ``StoreContents/settings`` and never stores it. If it exceeds `epochFloor`, the database is
  /// older than the last revocation.
  package static let outsideEpochFloor = "epochFloor.outside"
  /// A restore's note for the next start: the greatest epoch of the replaced state, a space, and
  /// the libraries whose marks it knew, separated by commas. Empty after that start.
  package static let restored = "restore.known"
  /// Prefix, followed by a library's name: not empty after a restore that could not know its marks,
  /// until an owner confirms them.
  package static let unknownMarks = "unknownMarks."
  /// The root key of the apps' own tokens, 64 hexadecimal digits.
  package static let brokerKey = "brokerKey"
  /// Users whom root named as administrators, decimal, separated by commas.
  package static let administrators = "administrators"
  /// Prefix, followed by a user's number: the users whose offers that user declines, decimal,
  /// separated by commas.
  package static let declines = "declines."
  /// Prefix, followed by a library's name: the volumes of its storage, one line each, path and
  /// identity separated by a tab.
  package static let volumes = "volumes."
  /// Prefix, followed by a library's name: its unusable files and the reasons, in the indexer's
  /// format.
  package static let unusable = "unusable."
  /// Prefix, followed by a library's name: files of change requests that were incomplete at the
  /// time.
  package static let additions = "additions."
  /// Begins the name of how old a library's change log is: the period, and the last sequence when
  /// that began, decimal, with a space between.
  package static let changeLog = "changeLog."

  /// The latest wall-clock time so far and the monotonic clock at that moment, in microseconds,
  /// separated by a space. Without it the broker trusts a wall clock that was set back.
  package static let latestTime = "latestTime"

  /// Life cycles of apps with prompts, as ``LifeCycles/text(boot:)``.
  package static let lifeCycles = "lifeCycles"

  /// Prefix, followed by a library's name: denials and dismissals, as
  /// ``AskingBackoff/text(of:now:)``.
  package static let backoff = "backoff."

  /// The settings of one library, which are deleted with it.
  package static func all(of library: LibraryName) -> [String] {
    [volumes, unusable, additions, changeLog, backoff, unknownMarks].map { $0 + library.description }
  }
}
