/// A queue for operations, round robin over users and over each user's apps, in order within an app.
/// Used on the loop only.
package final class FairQueue {
  package final class Turn {
    fileprivate let user: UInt32
    fileprivate let app: AppIdentifier?
    fileprivate let begin: (_ done: @escaping () -> Void) -> Void
    package fileprivate(set) var hasBegun = false

    /// - Parameters:
    ///   - app: The app among the user's; nil: the user.
    ///   - begin: Starts the operation, and gets a function to call when it is over.
    package init(user: UInt32, app: AppIdentifier? = nil, _ begin: @escaping (_ done: @escaping () -> Void) -> Void) {
      self.user = user
      self.app = app
      self.begin = begin
    }
  }

  private struct AppQueue {
    let app: AppIdentifier?
    var turns: [Turn]
  }

  private struct Place: Hashable {
    let user: UInt32
    let app: AppIdentifier?
  }

  private let limit: Int
  private let limitPerUser: Int
  private let limitPerApp: Int
  private var isBeginning = false
  private var running = 0
  private var runningOfUser: [UInt32: Int] = [:]
  private var runningOfApp: [Place: Int] = [:]
  private var users: [UInt32] = []
  /// Each user's apps with queued operations, next first.
  private var waiting: [UInt32: [AppQueue]] = [:]

  /// - Parameters:
  ///   - limit: Most running operations.
  ///   - limitPerUser: Most of one user.
  ///   - limitPerApp: Most of one app.
  package init(limit: Int = .max, limitPerUser: Int = .max, limitPerApp: Int = .max) {
    self.limit = limit
    self.limitPerUser = limitPerUser
    self.limitPerApp = limitPerApp
  }

  /// A user has at most half of the places, and an app a quarter.
  package convenience init(places: Int) {
    self.init(limit: places, limitPerUser: places / 2, limitPerApp: places / 4)
  }

  package var isIdle: Bool { running == 0 && users.isEmpty }

  package func count(waitingOf user: UInt32) -> Int { waiting[user]?.reduce(0) { $0 + $1.turns.count } ?? 0 }

  /// Starts an operation, now or in its turn.
  package func take(_ turn: Turn) {
    var apps = waiting[turn.user] ?? []
    if apps.isEmpty { users.append(turn.user) }
    if let index = apps.firstIndex(where: { $0.app == turn.app }) {
      apps[index].turns.append(turn)
    } else {
      apps.append(AppQueue(app: turn.app, turns: [turn]))
    }
    waiting[turn.user] = apps
    beginNext()
  }

  /// Removes an operation; false if it has begun.
  @discardableResult
  package func drop(_ turn: Turn) -> Bool {
    guard var apps = waiting[turn.user], let index = apps.firstIndex(where: { $0.app == turn.app }),
      let place = apps[index].turns.firstIndex(where: { $0 === turn })
    else { return false }
    apps[index].turns.remove(at: place)
    if apps[index].turns.isEmpty { apps.remove(at: index) }
    waiting[turn.user] = apps.isEmpty ? nil : apps
    if apps.isEmpty { users.removeAll { $0 == turn.user } }
    return true
  }

  /// An operation that ends at once does not start the next one inside of itself.
  private func beginNext() {
    guard !isBeginning else { return }
    isBeginning = true
    defer { isBeginning = false }
    while running < limit, let turn = next() {
      turn.hasBegun = true
      let place = Place(user: turn.user, app: turn.app)
      running += 1
      runningOfUser[turn.user, default: 0] += 1
      runningOfApp[place, default: 0] += 1
      var isOver = false
      turn.begin { [self] in
        if isOver { return }
        isOver = true
        running -= 1
        runningOfUser[turn.user] = runningOfUser[turn.user].flatMap { $0 > 1 ? $0 - 1 : nil }
        runningOfApp[place] = runningOfApp[place].flatMap { $0 > 1 ? $0 - 1 : nil }
        beginNext()
      }
    }
  }

  private func next() -> Turn? {
    for (place, user) in users.enumerated() where runningOfUser[user, default: 0] < limitPerUser {
      guard var apps = waiting[user],
        let index = apps.firstIndex(where: { runningOfApp[Place(user: user, app: $0.app), default: 0] < limitPerApp })
      else { continue }
      var queue = apps.remove(at: index)
      let turn = queue.turns.removeFirst()
      if !queue.turns.isEmpty { apps.append(queue) }
      waiting[user] = apps.isEmpty ? nil : apps
      users.remove(at: place)
      if !apps.isEmpty { users.append(user) }
      return turn
    }
    return nil
  }
}
