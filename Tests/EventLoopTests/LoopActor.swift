import CLinux
import EventLoop
import Glibc

/// An actor on an event loop that echoes bytes from a descriptor.
actor LoopActor {
  nonisolated let loop: EventLoop
  private(set) var readCount = 0
  private(set) var log: [Int] = []
  private var source: SourceID?
  private var watched: [SourceID] = []

  init(loop: EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Enters the actor synchronously, which is allowed on the loop's thread only.
  nonisolated func enter() { assumeIsolated { $0.readCount += 1 } }

  func note(_ value: Int) { log.append(value) }

  func isOnLoop() -> Bool { loop.isOnLoop }

  /// Sends each byte back; the handler runs on this actor.
  func echo(_ descriptor: Int32) throws {
    source = try loop.register(descriptor, for: .read) { readiness in
      self.readCount += 1
      var byte: UInt8 = 0
      guard readiness.isWorthReading, read(descriptor, &byte, 1) == 1 else { return self.endEcho() }
      _ = write(descriptor, &byte, 1)
    }
  }

  func endEcho() {
    if let source { loop.deregister(source) }
    source = nil
  }

  func schedule(_ delays: [(Duration, Int)]) {
    for (delay, value) in delays { loop.schedule(after: delay) { self.log.append(value) } }
  }

  func scheduleAndCancel(_ delay: Duration) -> TimerID {
    let timer = loop.schedule(after: delay) { self.log.append(-1) }
    loop.cancel(timer)
    return timer
  }

  /// Runs a job on the worker's thread and logs its value here.
  func ask(_ worker: Worker, value: Int) throws {
    let loop = loop
    try worker.run({ loop.isOnLoop ? -value : value }, on: loop) { self.log.append($0) }
  }

  /// Registers two readable sources; the first event of either deregisters the other.
  func watchTwo(_ first: Int32, _ second: Int32) throws {
    for (index, descriptor) in [first, second].enumerated() {
      watched.append(
        try loop.register(descriptor, for: .read) { _ in
          self.log.append(index)
          for source in self.watched { self.loop.deregister(source) }
        })
    }
  }

  func watchSignals(_ signals: [Int32]) throws {
    try loop.onSignals(signals) { self.log.append(Int($0)) }
  }

  /// Runs work at the ends of `count` turns in a row, each of which leaves some for the next.
  func workAtTurnsEnds(_ count: Int) {
    var left = count
    loop.onTurnsEnd {
      guard left > 0 else { return false }
      left -= 1
      self.log.append(left)
      return left > 0
    }
  }

  /// Registers a source that stays ready, because it is never read.
  func flood(_ descriptor: Int32) throws {
    source = try loop.register(descriptor, for: .read) { _ in self.readCount += 1 }
  }
}
