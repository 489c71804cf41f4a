import Foundation
import Testing

@testable import PhotoBroker

@Suite struct ChangesTests {
  private func changes(_ library: PhotoLibrary, since token: String? = nil) -> LibraryChanges.Iterator {
    LibraryChanges(
      library: library, since: token, backoff: Backoff(first: .milliseconds(5), longest: .milliseconds(20))
    )
    .makeAsyncIterator()
  }

  @Test func `an observer reconnects by itself and continues from its change token`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, parameters, times in
        switch times {
        case 0: [.continuing(event("t1")), .continuing(event("t2", inserted: ["a"])), .hangUp]
        case 1: [.continuing(event("t2")), .hangUp]
        default: [.continuing(event("t3", inserted: ["b"]))]
        }
      })
    var walk = changes(makeLibrary(broker))
    #expect(try await walk.next()?.changeToken == "t1")
    #expect(try await walk.next()?.insertedObjects.map(\.localIdentifier) == ["a"])
    // After a reconnection an event without news is dropped.
    #expect(try await walk.next()?.insertedObjects.map(\.localIdentifier) == ["b"])
    let again = #"{"since":"t2","outlivesAccess":true}"#
    #expect(broker.calls("ObserveChanges") == [#"{"outlivesAccess":true}"#, again, again])
  }

  @Test func `an observer survives a broker outage`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, times in [.continuing(event("t\(times)", inserted: ["n\(times)"]))] })
    var walk = changes(makeLibrary(broker))
    _ = try await walk.next()
    broker.stop()
    Task.detached {
      try await Task.sleep(for: .milliseconds(60))
      try broker.start()
    }
    #expect(try await walk.next()?.changeToken == "t1")
    #expect(broker.calls("ObserveChanges").last == #"{"since":"t0","outlivesAccess":true}"#)
  }

  @Test func `an expired change token asks for a full fetch`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, parameters, _ in
        parameters.contains("old")
          ? [.error("PhotosError", #"{"code":3105,"reason":"persistentChangeTokenExpired","message":"m"}"#)]
          : [.continuing(event("new"))]
      })
    var walk = changes(makeLibrary(broker), since: "old")
    let change = try #require(try await walk.next())
    #expect(change.mustResynchronize)
    #expect(change.changeToken == "new")
  }

  @Test func `the broker's own resynchronization is passed on`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.continuing(event("t", resynchronize: true))] })
    var walk = changes(makeLibrary(broker))
    #expect(try await walk.next()?.mustResynchronize == true)
  }

  @Test func `R159 a walk tells of access that is gone, and of its return without other news`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in
        [
          .continuing(event("t1")), .continuing(event("t1", away: true)), .continuing(event("t1")),
          .continuing(event("t1")), .continuing(event("t2", inserted: ["a"])),
        ]
      })
    var walk = changes(makeLibrary(broker))
    #expect(try await walk.next()?.hasAccess == true)
    #expect(try await walk.next()?.hasAccess == false)
    #expect(try await walk.next()?.hasAccess == true)
    #expect(try await walk.next()?.insertedObjects.map(\.localIdentifier) == ["a"])
  }

  @Test func `the end of access ends the walk with PhotoKit's error`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in
        [.continuing(event("t")), .error("PhotosError", #"{"code":3311,"reason":"accessUserDenied","message":"m"}"#)]
      })
    var walk = changes(makeLibrary(broker))
    _ = try await walk.next()
    await #expect(throws: PhotosError(.accessUserDenied, "m")) { try await walk.next() }
    #expect(try await walk.next() == nil)
  }

  @Test func `a cancelled walk ends at once`() async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.continuing(event("t"))] })
    let library = makeLibrary(broker)
    let task = Task {
      for try await _ in library.changes() {}
    }
    while broker.calls("ObserveChanges").isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
