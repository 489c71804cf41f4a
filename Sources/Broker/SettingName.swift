/// Names of the settings that the decisions keep.
package enum SettingName {
  /// The greatest epoch given so far, decimal.
  package static let epochFloor = "epochFloor"
  /// Put into ``StoreContents/settings`` by whoever keeps the floor outside the database as well,
  /// never stored: where it is greater than `epochFloor` the database is older than the last
  /// revocation.
  package static let outsideEpochFloor = "epochFloor.outside"
  /// Left by a restore for the next start: which apps' own tokens the state that was replaced knew
  /// as good, by their accessors with commas between, behind the greatest epoch that it knew of and
  /// a space.
  package static let keptTokens = "restore.keptTokens"
  /// The root key of the apps' own tokens, 64 hexadecimal digits.
  package static let brokerKey = "brokerKey"
  /// Users whom root named as administrators, decimal, with commas between.
  package static let administrators = "administrators"
  /// Begins the name of whose offers a user declines, by the user's number: users, decimal, with commas between.
  package static let declines = "declines."
  /// Begins the name of what a library's storage was last seen to lie on: a line for each volume,
  /// path and identity with a tab between.
  package static let volumes = "volumes."
  /// Begins the name of which of a library's files are of no use, and why, in the words of whoever looked into them.
  package static let unusable = "unusable."
  /// Begins the name of which files of a library belong to change requests that were not whole when that was written.
  package static let additions = "additions."
  /// Began the name of which files left assets of a library that their owner keeps from apps, in
  /// states of before these had a table.
  package static let parted = "parted."
  /// Begins the name of how old a library's change log is: the period, and the last sequence when
  /// that began, decimal, with a space between.
  package static let changeLog = "changeLog."

  /// The latest time that the wall clock has shown, and the clock that nobody can set then, in
  /// microseconds with a space between. Without it the wall clock is believed, however far it was
  /// set back.
  package static let latestTime = "latestTime"

  /// In which life cycles of apps their selections were asked about, as ``LifeCycles/text(boot:)`` says it.
  package static let lifeCycles = "lifeCycles"

  /// Begins the name of what people put aside in a library, as ``DismissalHistory/text(of:now:)`` says it.
  package static let dismissals = "dismissals."

  /// Of a library; they go with it.
  package static func all(of library: LibraryName) -> [String] {
    [volumes, unusable, additions, parted, changeLog, dismissals].map { $0 + library.description }
  }
}
