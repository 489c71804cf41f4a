import Limits
package import PhotoModel

/// A registered app and its counters, while the broker runs.
package final class App {
  package internal(set) var record: AppRecord {
    didSet { readDescriptions() }
  }
  /// True after the app was forgotten; calls that still refer to it are refused.
  package internal(set) var isRemoved = false
  private var renamings = RecentCount()
  /// Recorded revocations of the app's own token by its user.
  private var replacements = RecentCount()
  /// Limit per hour for recorded replacements. Further ones take effect without an entry, so that
  /// they cannot bury decisions about the app.
  private static let replacementsOnRecord = 10
  /// Changes of albums that the app did not make.
  private var albumChanges = RecentCount()
  /// The removals among these changes.
  private var albumTakings = RecentCount.ofDay
  private var keepQuestions = RecentCount()
  private var describesReading = false
  private var describesAdding = false

  init(record: AppRecord) {
    self.record = record
    readDescriptions()
  }

  package var identifier: AppIdentifier { record.identifier }

  /// Counts a change of the display name; false if the hourly limit is reached.
  func noteRenaming(at now: Duration) -> Bool { renamings.take(of: BrokerLimits.renamingsPerHour, at: now) }

  func noteKeepQuestion(at now: Duration) -> Bool { keepQuestions.take(of: BrokerLimits.keepQuestionsPerHour, at: now) }

  func noteReplacement(at now: Duration) -> Bool { replacements.take(of: Self.replacementsOnRecord, at: now) }

  /// Counts changes of albums that the app did not make; false if a limit is reached.
  /// - Parameter takings: the number of these changes that remove something.
  func noteAlbumChanges(_ count: Int, takings: Int, at now: Duration) -> Bool {
    guard albumTakings.allows(takings, of: BrokerLimits.albumTakingsPerDay, at: now),
      albumChanges.take(count, of: BrokerLimits.albumChangesPerHour, at: now)
    else { return false }
    albumTakings.note(takings, at: now)
    return true
  }

  var decider: Decider { Decider(uid: record.uid, role: .app, origin: record.executable ?? "", source: .app) }

  /// Whether the manifest gives a reason for this level (R31, R32).
  package func describes(_ level: AccessLevel) -> Bool {
    level == .addOnly ? describesAdding : describesReading
  }

  static func describes(_ level: AccessLevel, in manifest: Manifest) -> Bool {
    usageDescription(level, of: manifest).hasDefault
  }

  /// The manifest's key for this level's reason, as PhotoKit names it (R30).
  package static func usageKey(_ level: AccessLevel) -> String {
    level == .addOnly ? "NSPhotoLibraryAddUsageDescription" : "NSPhotoLibraryUsageDescription"
  }

  static func usageDescription(_ level: AccessLevel, of manifest: Manifest) -> LocalizedText {
    level == .addOnly ? manifest.addUsageDescription : manifest.usageDescription
  }

  private func readDescriptions() {
    describesReading = Self.describes(.readWrite, in: record.manifest)
    describesAdding = Self.describes(.addOnly, in: record.manifest)
  }
}
