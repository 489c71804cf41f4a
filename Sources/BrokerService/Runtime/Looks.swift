import Broker
import Monitor
import PhotoModel
import PluginHost

/// Scans that are due, and their pauses.
struct Looks {
  var isIndexing = false
  /// Whether a full scan is due.
  var rescanAsked = false
  /// Whether a full scan on request is running.
  var isRescanning = false
  /// Whether it also reads unusable files again.
  var looksAnew = false
  /// Running attempts to open the storage.
  var starts = 0
  /// Changed folders since the last scan began.
  var due = StorageNews.nothing
  /// Whether a scan waits for the rate limiter.
  var isPaused = false
  /// Whether a timer for files with timeouts is set.
  var isLateSet = false
  /// Assets that went missing many at a time. They count as deleted after a grace period.
  var missed = MissedPhotos()
  /// Whether a timer for the end of their grace period is set.
  var isMissedSet = false
  var pace = RateLimiter(burst: 20, interval: .milliseconds(250))
  /// Rate limiter for a storage that returns early from its wait for changes.
  var waitPace = RateLimiter(burst: 20, interval: .milliseconds(250))
  /// Number of waits for changes that began.
  var waits = 0
  /// Files added during the running scan.
  var additions = 0
  /// Scans in a row that left moving files to the next one.
  var postponed = 0
  static let postponedLimit = 5
  /// New photos without room, as far as scans tell.
  var waiting = 0
  /// Whether a timer for more room is set.
  var isRoomSet = false
  /// Time of the next full scan that counts photos without room, because partial scans only find
  /// more. Nil: the last scan counted them.
  var recount: MonotonicTime?
  /// Full scans in a row with a busy file.
  var incomplete = 0

  /// Backoff before the next one: a busy file is free after a moment, and one that is always busy
  /// costs a scan now and then.
  mutating func pauseAfterIncomplete() -> Duration {
    defer { incomplete = min(incomplete + 1, 16) }
    return min(.seconds(2 << max(0, incomplete - 4)), .seconds(300))
  }

  /// Interval of checks for files that stopped being hard links.
  private static let linkPause = Duration.seconds(5)
  private var linksAsked = ContinuousClock.now

  mutating func isTimeForLinks(_ now: ContinuousClock.Instant) -> Bool {
    guard now - linksAsked >= Self.linkPause else { return false }
    linksAsked = now
    return true
  }

  mutating func note(_ news: StorageNews) { due = due.joined(news) }
}

extension StorageNews {
  func joined(_ other: StorageNews) -> StorageNews {
    switch (self, other) {
    case (_, .nothing), (.anywhere, _): return self
    case (_, .anywhere), (.nothing, _): return other
    case (.folders(let known), .folders(let more)):
      let folders = StorageFolder.reduced(known + more)
      return folders.count <= StorageFolder.listLimit ? .folders(folders) : .anywhere
    }
  }
}
