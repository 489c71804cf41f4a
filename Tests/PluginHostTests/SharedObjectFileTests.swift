import Foundation
import PluginKit
import Testing

@testable import PluginHost

/// The look at a shared object before it is loaded: whatever a file holds, it is an answer or a refusal.
struct SharedObjectFileTests {
  let installed: Installed
  init() throws { installed = try Installed() }

  private static let real = Installed.products + "/libdirectory.so"

  @Test func `what a plugin needs is read from it`() throws {
    let needed = try SharedObjectFile.check(Self.real)
    #expect(needed.contains("libPluginKit.so") && needed.contains("libc.so.6"))
    #expect(throws: Never.self) { try NeededLibraries.load(needed.filter { !$0.hasPrefix("libswift") }) }
  }

  @Test(arguments: ["libforeign.so.9", "/tmp/libforeign.so", "../libc.so.6", "lib\u{1b}[2J.so"])
  func `a library that is not the system's is refused by name`(_ name: String) {
    #expect { try NeededLibraries.load([name]) } throws: { error in
      let message = (error as? PluginFailure)?.message ?? ""
      return message.contains("neither the kit") && !message.contains("\u{1b}")
    }
  }

  @Test func `an object that is cut off anywhere is refused`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: Self.real))
    let path = installed.folder + "/libcut.so"
    for length in stride(from: 0, to: whole.count, by: whole.count / 97) {
      try whole.prefix(length).write(to: URL(fileURLWithPath: path))
      #expect(throws: PluginFailure.self, "\(length)") { try SharedObjectFile.check(path) }
    }
  }

  @Test func `bytes that are exchanged anywhere in the headers end in an answer or a refusal`() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    var dice = Dice(state: seed)
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.real)))
    let path = installed.folder + "/libodd.so"
    let table = Int(whole[32]) | Int(whole[33]) << 8
    let headers = table + 56 * Int(whole[56])
    var refused = 0
    for round in 0..<300 {
      var odd = whole
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let place = Int.random(in: 0..<headers, using: &dice)
        odd[place] = Bool.random(using: &dice) ? 0xff : UInt8.random(in: 0...255, using: &dice)
      }
      try Data(odd).write(to: URL(fileURLWithPath: path))
      do throws(PluginFailure) {
        let names = try SharedObjectFile.check(path)
        #expect(names.count <= 256, "seed \(seed), round \(round)")
      } catch {
        refused += 1
        #expect(error.code == .unsupported, "seed \(seed), round \(round)")
      }
    }
    #expect(refused > 30, "seed \(seed)")
  }
}

/// Numbers that follow from a seed.
private struct Dice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
