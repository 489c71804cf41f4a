import Broker
import Catalogue
import Glibc
import PhotoModel

/// A library's catalogue in a file beside the database, so that a start need not read every row of
/// a large library.
///
/// The file is valid only while the database names it, with its length and digest. The commit of
/// the first change of an asset removes that entry. File names are never reused, so neither a
/// restored database nor a leftover file can cause a false match.
enum CatalogueFile {
  static let prefix = "catalogue-"

  static func name(_ kept: KeptCatalogue) -> String { prefix + Hex.text(kept.high) + Hex.text(kept.low) }

  /// Writes and syncs a catalogue. An incomplete file is deleted.
  /// - Returns: nil if that failed, if the disk is nearly full, or if the catalogue is not compact.
  static func write(_ catalogue: Catalogue, to folder: StateFolder) -> KeptCatalogue? {
    // An asset takes about a hundred bytes at most; the margin leaves room for others.
    guard folder.canSpare(catalogue.count * 400) else { return nil }
    var random = SystemRandomNumberGenerator()
    var kept = KeptCatalogue(high: random.next(), low: random.next(), bytes: 0, digest: 0)
    let path = folder.path + "/" + name(kept)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let output = Output(file, ContentDigest(seed: kept.high ^ kept.low))
    let isWritten = catalogue.encode { output.take($0) } && fsync(file) == 0 && (try? folder.sync()) != nil
    guard isWritten else {
      unlink(path)
      return nil
    }
    (kept.bytes, kept.digest) = (output.written, output.digest.value)
    return kept
  }

  /// Reads a kept catalogue.
  /// - Returns: nil if the file is missing, accessible to other users, or changed since it was
  ///   written.
  static func read(_ kept: KeptCatalogue, from folder: StateFolder) -> Catalogue? {
    let file = open(folder.path + "/" + name(kept), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
      facts.st_mode & 0o077 == 0,
      Int64(facts.st_size) == kept.bytes, let memory = memory(Int(kept.bytes))
    else { return nil }
    let slab = Slab(owning: UnsafeRawBufferPointer(memory)) {
      munmap(UnsafeMutableRawPointer(mutating: $0.baseAddress), $0.count)
    }
    var digest = ContentDigest(seed: kept.high ^ kept.low)
    var start = 0
    while start < memory.count {
      // Each piece is hashed while the processor's cache still holds it.
      let wanted = min(ContentDigest.pieceBytes, memory.count - start)
      let piece = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + wanted])
      guard fill(piece, from: file, at: start) else { return nil }
      digest.add(UnsafeRawBufferPointer(piece))
      start += wanted
    }
    guard digest.value == kept.digest else { return nil }
    var used = 0
    guard let catalogue = try? Catalogue(decoding: slab, bytesInUse: &used) else { return nil }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let unused = (used + page - 1) / page * page
    if unused < memory.count { madvise(memory.baseAddress.map { $0 + unused }, memory.count - unused, MADV_DONTNEED) }
    return catalogue
  }

  static func remove(_ kept: KeptCatalogue, from folder: StateFolder) { unlink(folder.path + "/" + name(kept)) }

  static func removeAll(but known: some Sequence<KeptCatalogue>, from folder: StateFolder) {
    let names = Set(known.map(name))
    for name in folder.names where name.hasPrefix(prefix) && !names.contains(name) { unlink(folder.path + "/" + name) }
  }

  /// Anonymous memory, in huge pages if possible: a million assets take 40 MB.
  private static func memory(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    guard count > 0, let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED
    else { return nil }
    if count >= 4 << 20 { madvise(start, count, MADV_HUGEPAGE) }
    return UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  private static func fill(_ piece: UnsafeMutableRawBufferPointer, from file: Int32, at offset: Int) -> Bool {
    var done = 0
    while done < piece.count {
      let count = pread(file, piece.baseAddress.map { $0 + done }, piece.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  private final class Output {
    private let file: Int32
    private(set) var digest: ContentDigest
    private(set) var written: Int64 = 0

    init(_ file: Int32, _ digest: ContentDigest) { (self.file, self.digest) = (file, digest) }

    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
      var done = 0
      while done < piece.count {
        let count = Glibc.write(file, piece.baseAddress.map { $0 + done }, piece.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      digest.add(piece)
      written += Int64(piece.count)
      return true
    }
  }
}
