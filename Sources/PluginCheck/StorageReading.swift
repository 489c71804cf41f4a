import BrokerInterface
import Cryptography
import Glibc
import Monitor
import PhotoModel
import PluginHost
import PluginKit
import Supervisor

/// Checks of a storage's bytes.
struct StorageReading {
  private let storage: StorageChecks
  private var run: CheckRun { storage.run }

  init(_ storage: StorageChecks) { self.storage = storage }

  private static let sample = 8

  func all() {
    run.check("bytes", bytes)
    run.check("bytes-again", bytesAgain)
    run.check("bytes-from-an-offset", fromAnOffset)
    run.check("bytes-of-a-range", ofARange)
    run.check("bytes-past-the-end", pastTheEnd)
    run.check("bytes-of-another-version", otherVersion)
    run.check("bytes-of-nothing", unknown)
    run.check("slow-reader", slowReader)
    run.check("reader-that-stops", readerThatStops)
    run.check("killed-in-a-read", killedInARead)
    run.check("many-reads", manyReads)
  }

  /// Some files that are not too large, the largest last.
  private func files() throws -> [Plugin.File] {
    let all = try storage.items().flatMap(\.files).filter { $0.size <= ByteReader.limitBytes }
    guard !all.isEmpty else {
      throw Skip(
        "Not tried: the storage has no file of up to \(ByteReader.limitBytes >> 20) MiB. Check a storage that has one.")
    }
    let largest = all.max { $0.size < $1.size }
    return Array(all.filter { $0 != largest }.prefix(Self.sample - 1)) + (largest.map { [$0] } ?? [])
  }

  /// The largest file and a reader; skips if files are opened below a root.
  private func largest() throws -> (Plugin.File, ByteReader) {
    guard try storage.facts().root == nil else { throw Skip("Its files are opened below its root.") }
    guard let file = try files().last else { throw Skip("Not tried: the storage has no file.") }
    return (file, ByteReader(process: try run.running()))
  }

  private func read(_ file: Plugin.File) throws -> [UInt8] {
    if let root = try storage.facts().root { return try ByteReader.bytes(of: file, below: root) }
    return try ByteReader(process: run.running()).bytes(of: file)
  }

  private func bytes() throws {
    let files = try files()
    try run.measure("bytes") { try files.reduce(0) { try $0 + read($1).count } }
    for file in files { try checkHash(file, read(file)) }
  }

  /// `hash:NAME:DIGITS` identifies the bytes.
  private func checkHash(_ file: Plugin.File, _ bytes: [UInt8]) throws {
    let parts = file.contentVersion.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "hash", let right = NamedHash.digest(String(parts[1]), of: bytes) else {
      return
    }
    try expect(
      parts[2].lowercased() == Hex.text(right),
      """
      The contentVersion of a file has a \(parts[1]) that its bytes do not have, so it could be taken for another \
      photo. Use "hash:" only for a hash of all bytes.
      """)
  }

  private func bytesAgain() throws {
    for file in try files() {
      try expect(
        read(file) == read(file),
        "A file had other bytes in a second Read, and the same contentVersion. Change it with the bytes.")
    }
  }

  private func fromAnOffset() throws {
    let (file, reader) = try largest()
    let whole = try reader.bytes(of: file)
    for offset in Set([1, file.size / 2, file.size - 1].filter { (0..<file.size).contains($0) }) {
      try expect(
        reader.bytes(of: file, from: offset) == Array(whole[Int(offset)...]),
        "Bytes from offset \(offset) differ from the whole file's. Skip exactly that many.")
    }
  }

  private func ofARange() throws {
    guard try storage.facts().ranges ?? false else { throw Skip("It does not offer ranges.") }
    let (file, reader) = try largest()
    let whole = try reader.bytes(of: file)
    let middle = file.size / 2
    for range in [
      0..<1, 0..<file.size, middle..<middle + 1, middle..<file.size, max(0, file.size - 1)..<file.size + 10,
    ]
    where range.lowerBound < file.size {
      let expected = whole[Int(range.lowerBound)..<Int(min(range.upperBound, file.size))]
      try expect(
        reader.bytes(of: file, in: range).elementsEqual(expected),
        "Bytes from offset \(range.lowerBound) differ from the whole file's. Skip exactly that many.")
    }
    try expectNotFound(
      reader.transfer(locator: file.locator, version: "no such version", length: 1),
      "An unknown contentVersion")
    let most = Int64.max - 1
    let rest = try reader.transfer(locator: file.locator, version: file.contentVersion, from: 1, length: most)
    try expect(
      rest.failure != nil || rest.bytes.elementsEqual(whole.dropFirst()),
      "A length beyond the file's end gave other bytes than the rest. Write what there is.")
    try run.probe(reader.process)
  }

  private func pastTheEnd() throws {
    let (file, reader) = try largest()
    try expect(reader.bytes(of: file, from: file.size).isEmpty, "Read past the end of a file wrote bytes. Write none.")
    let transfer = try reader.transfer(locator: file.locator, version: file.contentVersion, from: file.size + 4_096)
    try expect(transfer.bytes.isEmpty, "Read past the end of a file wrote bytes. Write none.")
    _ = try reader.transfer(locator: file.locator, version: file.contentVersion, from: .max)
    try run.probe(reader.process)
  }

  private func otherVersion() throws {
    let (file, reader) = try largest()
    let transfer = try reader.transfer(locator: file.locator, version: "no such version")
    try expectNotFound(transfer, "An unknown contentVersion")
    let words = transfer.failure?.message ?? ""
    try expect(
      file.filename.utf8.count < 5 || !words.contains(file.filename),
      "Its error names the photo, and apps and logs get this text. Leave names out of it.")
  }

  private func unknown() throws {
    let (file, reader) = try largest()
    for locator in [
      "no/such/file.jpg", "../" + file.locator, "/etc/passwd", "", "a\u{0}b", String(repeating: "x", count: 8_192),
    ] {
      try expectNotFound(
        reader.transfer(locator: locator, version: file.contentVersion), "An unknown locator")
    }
    try run.probe(reader.process)
  }

  private func expectNotFound(_ transfer: ByteReader.Transfer, _ what: String) throws {
    guard let failure = transfer.failure else {
      throw Complaint("\(what) was answered with \(transfer.bytes.count) bytes and no error. Answer notFound.")
    }
    try expect(failure.code == .notFound, "\(what) was answered with \(failure.code.rawValue). Answer notFound.")
  }

  private func slowReader() throws {
    let (file, reader) = try largest()
    try expect(
      reader.bytes(of: file, .slow) == reader.bytes(of: file),
      "A slow reader got other bytes. Wait until the pipe has room.")
  }

  private func readerThatStops() throws {
    let (file, reader) = try largest()
    _ = try reader.transfer(locator: file.locator, version: file.contentVersion, .stops)
    do { _ = try reader.bytes(of: file) } catch let complaint as Complaint {
      throw Complaint(
        """
        After a reader closed its pipe, the next Read fails: \(complaint.message) Ignore SIGPIPE, and end the call at \
        EPIPE.
        """
      )
    }
  }

  private func killedInARead() throws {
    let (file, reader) = try largest()
    let whole = try reader.bytes(of: file)
    let first = try run.fresh()
    try first.kill(afterMicroseconds: 2_000)
    _ = try? ByteReader(process: first).transfer(locator: file.locator, version: file.contentVersion, .slow)
    first.end()
    let second = try run.fresh()
    try expect(
      ByteReader(process: second).bytes(of: file, from: file.size / 2) == Array(whole[Int(file.size / 2)...]),
      "After a process was killed during a Read, the rest of the file differs. Leave nothing half done.")
  }

  private func manyReads() throws {
    let (file, reader) = try largest()
    let before = reader.process.descriptorCount
    for manner in [ByteReader.Manner.whole, .stops] {
      for _ in 0..<10 {
        _ = try reader.transfer(
          locator: file.locator, version: file.contentVersion, from: max(0, file.size - 200_000), manner)
      }
    }
    try reader.process.expectDescriptors(
      since: before, after: "20 reads", "Close the descriptors of each call, the pipe too.")
    if let left = reader.process.scratchCount, left >= 20 {
      throw Complaint(
        "After some reads, \(left) files are left in its folder (TMPDIR). Remove a call's files when it ends.")
    }
  }
}
