import Broker
import Testing

@testable import BrokerService

struct FairQueueTests {
  /// Begins turns named by user, app and number, and keeps the closures that end them.
  private final class Line {
    let turns: FairQueue
    private(set) var begun: [String] = []
    private var ends: [String: () -> Void] = [:]

    init(limit: Int, limitPerUser: Int, limitPerApp: Int) {
      turns = FairQueue(limit: limit, limitPerUser: limitPerUser, limitPerApp: limitPerApp)
    }

    func take(_ user: UInt32, _ app: UInt64, _ number: Int) {
      turns.take(
        FairQueue.Turn(user: user, app: AppIdentifier(high: 0, low: app)) { [self] done in
          let name = "\(user)/\(app)/\(number)"
          begun.append(name)
          ends[name] = done
        })
    }

    /// Ends the turn that began first.
    func end() { ends.removeValue(forKey: begun.removeFirst())?() }
  }

  @Test func `R129 users take turns, and the apps of each user do too`() {
    let line = Line(limit: 1, limitPerUser: 1, limitPerApp: 1)
    for number in 1...3 { line.take(1, 1, number) }
    line.take(1, 2, 1)
    for number in 1...2 { line.take(2, 3, number) }
    var order: [String] = []
    while let name = line.begun.first {
      order.append(name)
      line.end()
    }
    #expect(order == ["1/1/1", "1/1/2", "2/3/1", "1/2/1", "2/3/2", "1/1/3"])
  }

  @Test func `R129 one user never takes all places, and finishing twice counts once`() {
    let line = Line(limit: 4, limitPerUser: 3, limitPerApp: 2)
    for number in 1...10 { line.take(1, 1, number) }
    #expect(line.begun == ["1/1/1", "1/1/2"])
    for number in 1...2 { line.take(1, 2, number) }
    #expect(line.begun.last == "1/2/1" && line.begun.count == 3, "another app of the user waits for none of these")
    line.take(2, 1, 1)
    #expect(line.begun.last == "2/1/1" && line.begun.count == 4, "nor does another user")
    line.take(3, 1, 1)
    #expect(line.begun.count == 4)
    line.end()
    #expect(line.begun.count == 4 && line.begun.last == "1/1/3")
    line.end()
    #expect(line.begun.count == 4 && line.begun.last == "3/1/1", "whose turn it is before the first user's third")

    var ends: [() -> Void] = []
    let turns = FairQueue(limit: 1, limitPerUser: 1, limitPerApp: 1)
    for _ in 0..<3 {
      turns.take(FairQueue.Turn(user: 1, app: AppIdentifier(high: 0, low: 1)) { ends.append($0) })
    }
    ends[0]()
    ends[0]()
    #expect(ends.count == 2)
  }

  @Test func `R18 a cancelled waiting operation takes no turn and leaves nothing`() {
    let turns = FairQueue(limit: 1, limitPerUser: 1, limitPerApp: 1)
    var begun: [UInt64] = []
    var ends: [() -> Void] = []
    func turn(_ user: UInt32, _ app: UInt64) -> FairQueue.Turn {
      FairQueue.Turn(user: user, app: AppIdentifier(high: 0, low: app)) { done in
        begun.append(app)
        ends.append(done)
      }
    }
    let first = turn(1, 1)
    turns.take(first)
    weak var gone: FairQueue.Turn?
    for _ in 0..<1_000 {
      let given = turn(2, 2)
      gone = given
      turns.take(given)
      #expect(turns.drop(given) && !turns.drop(given))
    }
    #expect(gone == nil && !turns.drop(first), "what has begun ends by itself")
    let (kept, given) = (turn(2, 3), turn(2, 4))
    turns.take(kept)
    turns.take(given)
    turns.take(turn(3, 5))
    #expect(turns.drop(given))
    ends[0]()
    ends[1]()
    #expect(begun == [1, 3, 5])
  }
}
