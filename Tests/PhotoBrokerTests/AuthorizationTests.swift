import Foundation
import Synchronization
import Testing

@testable import PhotoBroker

@Suite struct AuthorizationTests {
  @Test(arguments: [
    ("notDetermined", AuthorizationStatus.notDetermined), ("limited", .limited), ("enlightened", .denied),
  ])
  func `R5 an unknown status counts as denied`(word: String, status: AuthorizationStatus) async throws {
    let broker = try ScriptedBroker(attaching { _, _, _ in [.reply(#"{"status":"\#(word)","code":9}"#)] })
    #expect(try await makeLibrary(broker).authorizationStatus(for: .readWrite) == status)
  }

  @Test func `an app is introduced once, and its tokens are attached to every connection`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "RequestAuthorization"
          ? [.reply(#"{"status":"limited","code":4,"token":"grant"}"#)] : [.reply(#"{"status":"limited","code":4}"#)]
      })
    let store = MemoryStore()
    let library = makeLibrary(broker, store)
    #expect(try await library.authorizationStatus(for: .readWrite) == .limited)
    #expect(try await library.requestAuthorization(for: .readWrite) == .limited)
    #expect(store.load() == StoredTokens(app: "own", manifest: manifest.text, grants: ["readWrite": "grant"]))
    #expect(try await library.authorizationStatus(for: .readWrite) == .limited)
    #expect(broker.calls("Introduce").count == 1)
    // The first connection got the grant in a reply, so only the second attaches both tokens.
    #expect(broker.calls("Attach") == [#"{"token":"own"}"#, #"{"token":"grant"}"#])
    #expect(broker.connectionCount == 2)
  }

  @Test func `an expired token is forgotten, and the app keeps its identity`() async throws {
    let broker = try ScriptedBroker { method, parameters, _ in
      if method == "Attach" {
        return parameters.contains("grant") ? [.error("TokenRefused", #"{"message":"no"}"#)] : [.reply(#"{"app":"a"}"#)]
      }
      return [.reply(#"{"status":"denied","code":2}"#)]
    }
    let store = makeKnownStore()
    #expect(try await makeLibrary(broker, store).authorizationStatus(for: .readWrite) == .denied)
    #expect(store.load().grants.isEmpty)
    #expect(store.load().app == "own")
  }

  @Test func `an app with a refused identity token is not introduced anew`() async throws {
    let broker = try ScriptedBroker { _, _, _ in [.error("TokenRefused", #"{"message":"no"}"#)] }
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await makeLibrary(broker).authorizationStatus(for: .readWrite)
    }
    #expect(error?.code == .tokenRefused)
    #expect(broker.calls("Introduce").isEmpty)
  }

  @Test func `a waiting request delays no other call and ends with its task`() async throws {
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "RequestAuthorization" ? [.silence] : [.reply(#"{"status":"notDetermined","code":0}"#)]
      })
    let library = makeLibrary(broker)
    let question = Task { try await library.requestAuthorization(for: .readWrite) }
    while broker.calls("RequestAuthorization").isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(try await library.authorizationStatus(for: .readWrite) == .notDetermined)
    question.cancel()
    await #expect(throws: CancellationError.self) { try await question.value }
  }

  @Test func `R153 an app that wants to know hears at once for whom its request waits`() async throws {
    let waiting = #"{"status":"notDetermined","code":0,"waiting":{"owners":["anna"],"shown":false}}"#
    let broker = try ScriptedBroker(
      attaching { method, _, _ in
        method == "RequestAuthorization"
          ? [.continuing(waiting), .reply(#"{"status":"denied","code":2}"#)] : [.reply("{}")]
      })
    let heard = Mutex<[WaitingRequest]>([])
    let status = try await makeLibrary(broker).requestAuthorization(for: .readWrite) { request in
      heard.withLock { $0.append(request) }
    }
    #expect(status == .denied)
    let requests = heard.withLock { $0 }
    #expect(requests.map(\.owners) == [["anna"]] && requests.first?.isShown == false)
  }

  @Test func `errors keep their kind`() async throws {
    let answers: [(String, String, PhotoLibraryError.Code)] = [
      ("UsageDescriptionMissing", #"{"key":"K","message":"m"}"#, .usageDescriptionMissing(key: "K")),
      ("PromptPending", #"{"message":"m"}"#, .promptPending),
      ("NobodyToAsk", #"{"owners":["anna"],"message":"m"}"#, .nobodyToAsk(owners: ["anna"])),
      ("NotLimited", #"{"status":"authorized","message":"m"}"#, .notLimited(.authorized)),
      ("TokenRequired", #"{"message":"m"}"#, .tokenRequired),
      ("MessageRefused", #"{"reason":"limitExceeded","message":"m"}"#, .messageRefused(reason: "limitExceeded")),
      (
        "org.varlink.service.InvalidParameter", #"{"parameter":"options.sort"}"#,
        .invalidParameter(name: "options.sort")
      ),
      ("org.varlink.service.MethodNotFound", #"{"method":"io.photobroker.Library.Later"}"#, .badReply),
      ("Unheard", "{}", .badReply),
    ]
    for (name, parameters, code) in answers {
      let broker = try ScriptedBroker(attaching { _, _, _ in [.error(name, parameters)] })
      let error = await #expect(throws: PhotoLibraryError.self) {
        try await makeLibrary(broker).presentLimitedLibraryPicker()
      }
      #expect(error?.code == code)
      // The message contains the broker's text or the error's subject.
      let value = parameters.split(separator: #"""#).dropLast().last.map(String.init)
      let telling = parameters.contains(#""message":"m""#) ? "m" : value ?? name
      #expect(error?.message.contains(telling) == true)
    }
  }

  @Test func `after a refused message the next call has a new connection`() async throws {
    let broker = try ScriptedBroker(
      attaching { _, _, times in
        times == 0
          ? [.error("MessageRefused", #"{"reason":"limitExceeded","message":"m"}"#), .hangUp]
          : [.reply(#"{"status":"limited","code":4}"#)]
      })
    let library = makeLibrary(broker)
    await #expect(throws: PhotoLibraryError(.messageRefused(reason: "limitExceeded"), "")) {
      try await library.authorizationStatus(for: .readWrite)
    }
    #expect(try await library.authorizationStatus(for: .readWrite) == .limited)
    #expect(broker.connectionCount == 2)
  }

  @Test(arguments: [(3311, PhotosError.Code.accessUserDenied), (4711, .internalError)])
  func `PhotoKit's errors keep their number, and new ones are internal`(number: Int, code: PhotosError.Code)
    async throws
  {
    let broker = try ScriptedBroker(
      attaching { _, _, _ in [.error("PhotosError", #"{"code":\#(number),"reason":"r","message":"m"}"#)] })
    await #expect(throws: PhotosError(code, "m")) { try await Asset.fetchAssets(in: makeLibrary(broker)) }
  }

  @Test func `an unserved socket has its own error`() async throws {
    let library = PhotoLibrary(socketPath: "/nonexistent/socket", manifest: manifest, tokenStore: MemoryStore())
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.authorizationStatus(for: .readWrite) }
    #expect(error?.code == .brokerUnavailable)
  }
}
