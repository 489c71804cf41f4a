import Foundation
import PluginKit
import TestSupport
import Testing

@testable import PluginHost

/// The check of a shared object before it is loaded: any file is accepted or refused.
struct SharedObjectFileTests {
  let installed: Installed
  init() throws { installed = try Installed() }

  private static let real = Installed.products + "/libdirectory.so"

  @Test func `a plugin's dependencies are read from its file`() throws {
    let needed = try SharedObjectFile.check(Self.real)
    #expect(needed.contains("libPluginKit.so") && needed.contains("libc.so.6"))
    #expect(throws: Never.self) { try NeededLibraries.load(needed.filter { !$0.hasPrefix("libswift") }) }
  }

  @Test(arguments: ["libforeign.so.9", "/tmp/libforeign.so", "../libc.so.6", "lib\u{1b}[2J.so"])
  func `a library outside the system is refused by name`(_ name: String) {
    #expect { try NeededLibraries.load([name]) } throws: { error in
      let message = (error as? PluginFailure)?.message ?? ""
      return message.contains("not in the kit") && !message.contains("\u{1b}")
    }
  }

  @Test func `an object truncated anywhere is refused`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: Self.real))
    let path = installed.folder + "/libcut.so"
    for length in stride(from: 0, to: whole.count, by: whole.count / 97) {
      try whole.prefix(length).write(to: URL(fileURLWithPath: path))
      #expect(throws: PluginFailure.self, "\(length)") { try SharedObjectFile.check(path) }
    }
  }

  @Test func `extreme offsets and addresses are refused`() throws {
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.real)))
    let path = installed.folder + "/libends.so"
    let table = Int(whole[32]) | Int(whole[33]) << 8
    // Each segment's offset, address and size, and the dynamic section's entries for the string
    // table.
    let places =
      (0..<Int(whole[56])).flatMap { entry in [8, 16, 32].map { table + 56 * entry + $0 } } + [32, 40]
      + (try stringsPlaces(whole, table))
    for place in places {
      for value in [Int.max, Int.min, -1, Int.max - 1, Int.min + 1] {
        var odd = whole
        withUnsafeBytes(of: value.littleEndian) { bytes in
          for (index, byte) in bytes.enumerated() { odd[place + index] = byte }
        }
        try Data(odd).write(to: URL(fileURLWithPath: path))
        do throws(PluginFailure) { _ = try SharedObjectFile.check(path) } catch { #expect(error.code == .unsupported) }
      }
    }
    // With the lowest possible load address, differences to it overflow.
    var odd = whole
    for start in stride(from: table, to: table + 56 * Int(whole[56]), by: 56) {
      withUnsafeBytes(of: Int.min.littleEndian) { bytes in
        for (index, byte) in bytes.enumerated() { odd[start + 16 + index] = byte }
      }
    }
    try Data(odd).write(to: URL(fileURLWithPath: path))
    #expect(throws: PluginFailure.self) { try SharedObjectFile.check(path) }
  }

  /// Returns the offsets of the dynamic section's entries for the string table.
  private func stringsPlaces(_ whole: [UInt8], _ table: Int) throws -> [Int] {
    func number(_ place: Int, _ count: Int = 8) -> Int {
      whole[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let start = try #require((0..<Int(whole[56])).map { table + 56 * $0 }.first { number($0, 4) == 2 })
    let section = number(start + 8)
    return stride(from: section, to: section + number(start + 32), by: 16).filter { number($0) == 5 }.map { $0 + 8 }
  }

  @Test func `changed header bytes end in an answer or a refusal`() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    var dice = SeededGenerator(seed)
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
