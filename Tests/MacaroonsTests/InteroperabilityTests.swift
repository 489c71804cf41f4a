import Cryptography
import Macaroons
import PhotoModel
import TestSupport
import Testing

struct InteroperabilityTests {
  private static let key: [UInt8] = Array("this is the key".utf8)

  /// Source: https://github.com/rescrv/libmacaroons, test/unit.
  @Test(
    arguments: [
      ("AgETaHR0cDovL2V4YW1wbGUub3JnLwIFa2V5aWQAAAYgfN7nklEcW8b1KEhYBd_psk54XijiqZMB-dcRxgnjjvc", []),
      (
        "AgETaHR0cDovL2V4YW1wbGUub3JnLwIFa2V5aWQAAhRhY2NvdW50ID0gMzczNTkyODU1OQAABiD1SAf23G7fiL8PcwazgiVio2JTPb9zObphdl2kvSWdhw",
        ["account = 3735928559"]
      ),
      (
        "AgETaHR0cDovL2V4YW1wbGUub3JnLwIFa2V5aWQAAhRhY2NvdW50ID0gMzczNTkyODU1OQACDHVzZXIgPSBhbGljZQAABiBL6WfNHqDGsmuvakqU7psFsViG2guoXoxCqTyNDhJe_A",
        ["account = 3735928559", "user = alice"]
      ),
      (
        "AgETaHR0cDovL2V4YW1wbGUub3JnLwIFa2V5aWQAAghFc2NyaXbDoQAABiA28icxdxYyvr3OoMwDhimCgQMffNNHvjyOENsQuU45WA",
        ["Escrivá"]
      ),
    ] as [(String, [String])])
  func `tokens of libmacaroons verify and are made alike`(text: String, caveats: [String]) throws {
    let key = SecretBytes(copying: Self.key)
    let token = try Macaroon(text: text)
    #expect(token.location == "http://example.org/" && token.identifier == Array("keyid".utf8))
    #expect(token.caveats == caveats.map { Array($0.utf8) })
    try token.verify(key: key) { caveats.contains(String(decoding: $0, as: UTF8.self)) }
    var made = try Macaroon.mint(location: "http://example.org/", identifier: Array("keyid".utf8), key: key)
    for caveat in caveats { made = try made.addingFirstPartyCaveat(Array(caveat.utf8)) }
    #expect(made.text == text)
    #expect(throws: MacaroonError.self) { try token.verify(key: try SecretBytes(random: 15)) { _ in true } }
    if !caveats.isEmpty {
      let error = #expect(throws: MacaroonError.self) { try token.verify(key: key) { _ in false } }
      #expect(error?.code == .caveatNotMet)
    }
  }

  @Test(.enabled(if: Pymacaroons.isInstalled, Comment(rawValue: Pymacaroons.howToInstall)))
  func `pymacaroons and this library make, attenuate and verify each other's tokens`() throws {
    let keyBytes = try RandomBytes.make(32)
    let key = SecretBytes(copying: keyBytes)
    let verifier = try MacaroonVerifier(location: "photobroker", key: key)
    let caveats: [Caveat] = [
      .library("holidays"), .app("app-1"), .uid(1000), .level(.readWrite), .verbs([.read, .observe]),
      .before(2_000_000_000), .assets([1, .max]),
    ]
    let texts = caveats.map(\.text)
    let identifier: [UInt8] = [0, 1, 2, 0xFF]
    let ours = try verifier.mint(identifier: identifier, caveats)
    let answers = try Pymacaroons.ask([
      .init(
        operation: "make", key: Hex.text(keyBytes), location: "photobroker", identifier: Hex.text(identifier),
        caveats: texts),
      .init(operation: "verify", token: ours.text, key: Hex.text(keyBytes)),
      .init(operation: "verify", token: ours.text, key: Hex.text(Array(keyBytes.reversed()))),
      .init(operation: "narrow", token: ours.text, caveats: ["verbs = read"]),
      .init(
        operation: "make", key: Hex.text(keyBytes), location: "photobroker", identifier: Hex.text(identifier),
        caveats: texts, thirdParty: true),
    ])
    #expect(answers[0].token == ours.text)
    #expect(answers[1].caveats == texts.map { Hex.text(Array($0.utf8)) })
    #expect(answers[2].error != nil)
    let narrowed = try Macaroon(text: try #require(answers[3].token))
    #expect(try verifier.verify(narrowed).verbs == .read)
    #expect(try ours.adding(.verbs(.read)) == narrowed)
    let thirdParty = #expect(throws: MacaroonError.self) { try Macaroon(text: try #require(answers[4].token)) }
    #expect(thirdParty?.code == .thirdPartyCaveat)
  }

  @Test(.enabled(if: Pymacaroons.isInstalled, Comment(rawValue: Pymacaroons.howToInstall)))
  func `every mutated token accepted here is accepted by pymacaroons with the same caveats`() throws {
    var random = SeededGenerator(11)
    let keyBytes = try RandomBytes.make(32)
    let key = SecretBytes(copying: keyBytes)
    let seed = try Macaroon.mint(location: "here", identifier: [1, 2, 3], key: key)
      .adding(.library("a")).adding(.verbs(.read)).binary
    let tokens = (0..<3_000).map { $0 == 0 ? seed : random.mutated(seed) }
    let answers = try Pymacaroons.ask(
      tokens.map { .init(operation: "verify", token: Base64URL.encode($0), key: Hex.text(keyBytes)) })
    var taken = 0
    for (bytes, answer) in zip(tokens, answers) {
      guard let token = try? Macaroon(binary: bytes), (try? token.verify(key: key) { _ in true }) != nil else {
        continue
      }
      taken += 1
      #expect(answer.caveats == token.caveats.map { Hex.text($0) })
    }
    #expect(taken >= 1)
  }
}
