import Limits
package import PhotoModel

/// A registered app while the broker runs.
package final class App {
  package internal(set) var record: AppRecord {
    didSet { readDescriptions() }
  }
  /// True once the app was forgotten: what still refers to it is refused.
  package internal(set) var isRemoved = false
  /// How often it called itself something else on record.
  private var renamings = RecentCount()
  /// How often its user ended its own token on record.
  private var replacements = RecentCount()
  /// Every one counts, but not every one is put before those who decided on the app: nothing that
  /// they decided is buried by that.
  private static let replacementsOnRecord = 10
  /// How often it did something to albums that it did not make.
  private var albumChanges = RecentCount()
  /// How often it took something from them.
  private var albumTakings = RecentCount.ofDay
  /// How often its person was asked whether it keeps its selection.
  private var keepQuestions = RecentCount()
  private var describesReading = false
  private var describesAdding = false

  init(record: AppRecord) {
    self.record = record
    readDescriptions()
  }

  package var identifier: AppIdentifier { record.identifier }

  /// Notes that it calls itself something else. False: it has done so too often.
  func noteRenaming(at now: Duration) -> Bool { renamings.take(of: BrokerLimits.renamingsPerHour, at: now) }

  /// Notes that its person is asked whether it keeps its selection. False: they were asked that too often.
  func noteKeepQuestion(at now: Duration) -> Bool { keepQuestions.take(of: BrokerLimits.keepQuestionsPerHour, at: now) }

  /// Notes that its user ended its own token. False: they have done so too often for one more entry.
  func noteReplacement(at now: Duration) -> Bool { replacements.take(of: Self.replacementsOnRecord, at: now) }

  /// Notes what it does to albums that it did not make. False: it has done so too often.
  /// - Parameter takings: how many of these changes take something away that was there.
  func noteAlbumChanges(_ count: Int, takings: Int, at now: Duration) -> Bool {
    guard albumTakings.allows(takings, of: BrokerLimits.albumTakingsPerDay, at: now),
      albumChanges.take(count, of: BrokerLimits.albumChangesPerHour, at: now)
    else { return false }
    albumTakings.note(takings, at: now)
    return true
  }

  /// As who it is entered where it did something that is on record.
  var decider: Decider { Decider(uid: record.uid, role: .app, origin: record.executable ?? "", source: .app) }

  /// Whether the manifest says why the app wants this level (R31, R32).
  package func describes(_ level: AccessLevel) -> Bool {
    level == .addOnly ? describesAdding : describesReading
  }

  /// Whether a manifest says so.
  static func describes(_ level: AccessLevel, in manifest: Manifest) -> Bool {
    usageDescription(level, of: manifest).hasDefault
  }

  /// R30.
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
