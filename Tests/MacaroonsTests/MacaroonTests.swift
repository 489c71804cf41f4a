import Cryptography
import Limits
import Macaroons
import TestSupport
import Testing

struct MacaroonTests {
  private let verifier: MacaroonVerifier

  init() throws {
    verifier = try MacaroonVerifier(location: "photobroker", key: try SecretBytes(random: 32))
  }

  private func expectFailure<Result>(
    _ code: MacaroonError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
  ) {
    let error = #expect(throws: MacaroonError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
  }

  @Test func `R122 a token allows at most the intersection of its caveats`() throws {
    let minted = try verifier.mint(identifier: [1], [.library("holidays"), .app("viewer"), .level(.readWrite)])
    let narrowed = try minted.adding(.verbs([.read, .observe])).adding(.verbs([.read, .add])).adding(.before(50))
      .adding(.before(60)).adding(.uid(7)).adding(.assets([1, 2])).adding(.assets([2, 3]))
    let restrictions = try verifier.verify(try Macaroon(text: narrowed.text))
    #expect(restrictions.library == "holidays" && restrictions.app == "viewer" && restrictions.uid == 7)
    #expect(restrictions.level == .readWrite && restrictions.verbs == .read && restrictions.before == 50)
    #expect(restrictions.assets == [2])
    #expect(try verifier.verify(minted).assets == nil)
  }

  @Test func `contradicting caveats allow nothing`() throws {
    let pairs: [(Caveat, Caveat)] = [
      (.library("a"), .library("b")), (.app("a"), .app("b")), (.uid(1), .uid(2)),
      (.level(.addOnly), .level(.readWrite)),
    ]
    for (first, second) in pairs {
      let token = try verifier.mint(identifier: [1], [first, second])
      expectFailure(.contradiction) { try verifier.verify(token) }
      _ = try verifier.verify(try verifier.mint(identifier: [1], [first, first]))
    }
  }

  @Test func `an unknown caveat fails closed`() throws {
    let token = try verifier.mint(identifier: [1]).addingFirstPartyCaveat(Array("folder = beach".utf8))
    expectFailure(.unknownCaveat) { try verifier.verify(token) }
    expectFailure(.unknownCaveat) { try verifier.verify(try token.adding(.verbs(.read))) }
  }

  @Test func `a token of another key or place is not authentic`() throws {
    let key = try SecretBytes(random: 32)
    let here = try MacaroonVerifier(location: "here", key: key)
    let there = try MacaroonVerifier(location: "there", key: key)
    let token = try here.mint(identifier: [1], [.uid(1)])
    _ = try here.verify(token)
    expectFailure(.notAuthentic) { try there.verify(token) }
    expectFailure(.notAuthentic) { try verifier.verify(token) }
  }

  @Test func `no mutation of a token verifies`() throws {
    var random = SeededGenerator(2)
    let token = try verifier.mint(identifier: [1, 2, 3], [.library("holidays"), .verbs([.read, .edit]), .before(1)])
    let seed = token.binary
    #expect(try Macaroon(binary: seed) == token)
    for index in seed.indices {
      for bit in 0..<8 {
        var changed = seed
        changed[index] ^= 1 << UInt8(bit)
        #expect(!verifies(changed), "bit \(bit) of byte \(index)")
      }
      #expect(!verifies(Array(seed[..<index])))
    }
    for _ in 0..<10_000 {
      let changed = random.mutated(seed)
      #expect(changed == seed || !verifies(changed))
    }
  }

  private func verifies(_ bytes: [UInt8]) -> Bool {
    guard let token = try? Macaroon(binary: bytes) else { return false }
    return (try? verifier.verify(token)) != nil
  }

  @Test func `removing or moving a caveat breaks the signature`() throws {
    let token = try verifier.mint(identifier: [1], [.library("a"), .uid(1), .verbs(.read)])
    let caveat = [2, UInt8("uid = 1".utf8.count)] + Array("uid = 1".utf8) + [0]
    let start = try #require(token.binary.indices.first { token.binary[$0...].starts(with: caveat) })
    var without = token.binary
    without.removeSubrange(start..<(start + caveat.count))
    #expect(try Macaroon(binary: without).caveats.count == 2)
    #expect(!verifies(without))
    without.insert(contentsOf: caveat, at: without.count - 35)
    #expect(try Macaroon(binary: without).caveats.count == 3)
    #expect(!verifies(without))
  }

  @Test func `64 caveats and 4 KiB are accepted, and one more is refused`() throws {
    var token = try verifier.mint(identifier: [1])
    for index in 0..<MacaroonLimits.caveats { token = try token.adding(.before(Int64(100 + index))) }
    #expect(try verifier.verify(try Macaroon(text: token.text)).before == 100)
    expectFailure(.limitExceeded) { try token.adding(.uid(1)) }
    var bytes = token.binary
    bytes.insert(contentsOf: [2, 1, 0x61, 0], at: bytes.count - 35)
    expectFailure(.limitExceeded) { try Macaroon(binary: bytes) }
    expectFailure(.limitExceeded) { try verifier.mint(identifier: [1], Array(repeating: .uid(1), count: 65)) }

    let empty = try verifier.mint(identifier: []).binary.count
    let room = MacaroonLimits.bytes - empty - 1
    let full = try verifier.mint(identifier: [UInt8](repeating: 1, count: room))
    #expect(full.binary.count == MacaroonLimits.bytes)
    _ = try verifier.verify(try Macaroon(text: full.text))
    expectFailure(.limitExceeded) { try verifier.mint(identifier: [UInt8](repeating: 1, count: room + 1)) }
    expectFailure(.limitExceeded) { try full.adding(.uid(1)) }
    expectFailure(.limitExceeded) { try Macaroon(binary: [UInt8](repeating: 2, count: MacaroonLimits.bytes + 1)) }
    expectFailure(.limitExceeded) { try Macaroon(text: String(repeating: "A", count: 5463)) }
  }

  @Test func `every token has one encoding`() throws {
    let token = try verifier.mint(identifier: [1], [.uid(1)])
    let text = token.text
    for other in [text + "=", text + "==", " " + text, text + "\n", text.replacing("_", with: "/") + "+"] {
      expectFailure(.malformed) { try Macaroon(text: other) }
    }
    // The identifier's length, 1, encoded in two bytes.
    var long = token.binary
    let index = try #require(long.indices.first { long[$0...].starts(with: [2, 1, 1, 0]) })
    long.replaceSubrange(index..<(index + 2), with: [2, 0x81, 0x00])
    expectFailure(.malformed) { try Macaroon(binary: long) }
    // An explicit empty location.
    let placeless = try Macaroon.mint(location: "", identifier: [1], key: try SecretBytes(random: 8))
    var written = placeless.binary
    #expect(try Macaroon(binary: written) == placeless)
    written.insert(contentsOf: [1, 0], at: 1)
    expectFailure(.malformed) { try Macaroon(binary: written) }
  }

  @Test func `a third-party caveat is refused by name`() throws {
    let token = try verifier.mint(identifier: [1]).binary
    let end = token.count - 35
    for section in [
      [1, 1, 0x61, 2, 1, 0x62, 4, 1, 0x63, 0], [2, 1, 0x62, 4, 1, 0x63, 0], [1, 1, 0x61, 2, 1, 0x62, 0],
    ] as [[UInt8]] {
      var bytes = token
      bytes.insert(contentsOf: section, at: end)
      expectFailure(.thirdPartyCaveat) { try Macaroon(binary: bytes) }
    }
  }

  @Test func `errors do not quote the token`() throws {
    let canary = "canary-in-a-caveat"
    let token = try verifier.mint(identifier: Array(canary.utf8)).addingFirstPartyCaveat(Array(canary.utf8))
    let error = #expect(throws: MacaroonError.self) { try verifier.verify(token) }
    #expect(error.map { "\($0)\($0.message)".contains("canary") } == false)
  }
}
