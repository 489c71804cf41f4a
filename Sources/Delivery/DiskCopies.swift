import CLinux
import Glibc
import PhotoModel
import Synchronization
import UnixSocket

/// A disk cache of remote files' copies, in a private folder of the broker.
///
/// Each copy belongs to a group, such as one app's readable files, and is erased with it. Bytes
/// read are checked against a digest, so a file damaged by a crash is fetched again. Every call
/// blocks and belongs on a worker. Thread-safe.
package final class DiskCopies: Sendable {
  /// The key of a copy.
  package struct Key: Hashable, Sendable {
    fileprivate let text: String
    fileprivate let group: String

    /// - Parameters:
    ///   - group: Lower-case letters and digits.
    ///   - item: The source of the copy within its group; an item may have several copies.
    ///   - digest: Identifies the user and the file's version; at least 16 bytes.
    package init(group: String, item: UInt32, digest: [UInt8]) {
      self.group = group
      let number = withUnsafeBytes(of: item.bigEndian) { [UInt8]($0) }
      text = "\(group)-\(Hex.text(number + digest))"
    }
  }

  private struct Entry {
    var file: String
    var byteCount: Int
    var used: UInt64
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var byteCount = 0
    var limit = 0
    var isOpen = false
    var isClosed = false
    var uses: UInt64 = 0
    /// Rises with each removal: a copy whose fetch began earlier is not cached.
    var age = 0
  }

  private let folder: String
  private let digest: @Sendable (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - folder: Created with the first copy.
  ///   - digest: A collision-resistant hash.
  package init(folder: String, digest: @escaping @Sendable (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8]) {
    self.folder = folder
    self.digest = digest
  }

  /// Opens the cache and loads the folder's copies.
  ///
  /// - Parameters:
  ///   - limitBytes: The limit for all copies together; 0 erases all and caches none.
  ///   - groups: Copies of other groups are erased.
  package func open(limitBytes: Int, keeping groups: Set<String>) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.limit = limitBytes
      if !state.isOpen {
        Self.load(folder, into: &state)
        for (key, entry) in state.entries where !groups.contains(String(key.prefix { $0 != "-" })) {
          remove(key, entry, &state)
        }
      }
      state.isOpen = true
      evict(&state)
    }
  }

  /// Closes the cache for good; its files stay for the next process.
  package func close() {
    state.withLock { state in
      (state.isOpen, state.isClosed) = (false, true)
      state.age += 1
    }
  }

  /// The value for ``keep(_:_:since:)``.
  package var age: Int { state.withLock { $0.age } }

  /// The cached copy; nil if there is none, or if its bytes are damaged.
  package func copy(_ key: Key, limitBytes: Int) -> SealedCopy? {
    let found = state.withLock { state -> (file: String, byteCount: Int)? in
      guard state.isOpen, var entry = state.entries[key.text] else { return nil }
      state.uses += 1
      entry.used = state.uses
      state.entries[key.text] = entry
      return (entry.file, entry.byteCount)
    }
    guard let found else { return nil }
    let file = clinux_open("\(folder)/\(found.file)", O_RDONLY | O_NOFOLLOW, 0)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    // Keeps the order of use for the next start.
    _ = futimens(file, nil)
    let copy = try? SealedCopy.copying(number: file, limitBytes: limitBytes, hasher: digest) {
      () throws(DeliveryError) in
    }
    guard let copy, let told = copy.digest, found.file == Self.name(key, told) else {
      forget { $0 == key.text }
      return nil
    }
    return copy
  }

  /// Caches a copy if it fits and the disk has room; evicts the least recently used ones.
  ///
  /// - Parameter age: The `age` before the fetch. After a removal since then, the copy is not
  ///   cached.
  package func keep(_ copy: SealedCopy, _ key: Key, since age: Int) {
    let mayKeep = state.withLock {
      $0.isOpen && $0.age == age && copy.byteCount <= $0.limit / 4 && $0.entries[key.text] == nil
    }
    guard mayKeep, copy.byteCount > 0 else { return }
    mkdir(parent, 0o700)
    mkdir(folder, 0o700)
    guard hasRoom(for: copy.byteCount), let told = try? copy.withBytes(digest) else { return }
    let new = "\(folder)/.new-\(UInt64.random(in: .min ... .max))"
    guard write(copy, to: new) else {
      unlink(new)
      return
    }
    let name = Self.name(key, told)
    state.withLock { state in
      guard state.isOpen, state.age == age, rename(new, "\(folder)/\(name)") == 0 else {
        unlink(new)
        return
      }
      state.uses += 1
      if let before = state.entries.updateValue(
        Entry(file: name, byteCount: copy.byteCount, used: state.uses), forKey: key.text)
      {
        state.byteCount -= before.byteCount
        if before.file != name { unlink("\(folder)/\(before.file)") }
      }
      state.byteCount += copy.byteCount
      evict(&state)
    }
  }

  /// Erases a group's copies, including those being written.
  package func forget(group: String) { forget { $0.hasPrefix(group + "-") } }

  /// Erases a group's copies of some items; copies being written are not kept either.
  package func forget(group: String, items: Set<UInt32>) {
    forget { key in Self.item(key, of: group).map(items.contains) ?? false }
  }

  /// The items of a group that have copies.
  package func items(of group: String) -> Set<UInt32> {
    state.withLock { state in
      if !state.isOpen { Self.load(folder, into: &state) }
      return Set(state.entries.keys.compactMap { Self.item($0, of: group) })
    }
  }

  private static func item(_ key: String, of group: String) -> UInt32? {
    key.hasPrefix(group + "-") ? UInt32(key.dropFirst(group.count + 1).prefix(8), radix: 16) : nil
  }

  private func forget(_ isMeant: (String) -> Bool) {
    state.withLock { state in
      state.age += 1
      if !state.isOpen { Self.load(folder, into: &state) }
      for (key, entry) in state.entries where isMeant(key) { remove(key, entry, &state) }
    }
  }

  /// Erases a whole cache folder.
  package static func erase(_ folder: String) {
    for name in FolderListing.names(in: folder) ?? [] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  // MARK: Files

  private var parent: String { String(folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)]) }

  private func write(_ copy: SealedCopy, to path: String) -> Bool {
    let file = clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return false }
    defer { Glibc.close(file) }
    var place = 0
    while place < copy.byteCount {
      let count = clinux_copy(copy.descriptor.number, Int64(place), file, min(copy.byteCount - place, 1 << 20))
      guard count > 0 else { return false }
      place += count
    }
    return true
  }

  /// Keeps a twentieth of the file system free, because the broker's own state is on it.
  private func hasRoom(for byteCount: Int) -> Bool {
    var facts = statvfs()
    guard statvfs(folder, &facts) == 0 else { return false }
    let free = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
    return free > UInt64(byteCount) && UInt64(facts.f_bavail) > UInt64(facts.f_blocks) / 20
  }

  private func evict(_ state: inout State) {
    guard state.byteCount > state.limit else { return }
    for (key, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
      guard state.byteCount > state.limit else { return }
      remove(key, entry, &state)
    }
  }

  private func remove(_ key: String, _ entry: Entry, _ state: inout State) {
    unlink("\(folder)/\(entry.file)")
    state.entries[key] = nil
    state.byteCount -= entry.byteCount
  }

  /// Loads an earlier process's copies in order of use, and erases unfinished ones.
  private static func load(_ folder: String, into state: inout State) {
    var found: [(key: String, file: String, byteCount: Int, time: Int)] = []
    for name in FolderListing.names(in: folder) ?? [] {
      let parts = name.split(separator: "-")
      var facts = stat()
      guard parts.count == 3, !name.hasPrefix("."), lstat("\(folder)/\(name)", &facts) == 0,
        facts.st_mode & S_IFMT == S_IFREG
      else {
        unlink("\(folder)/\(name)")
        continue
      }
      found.append(("\(parts[0])-\(parts[1])", name, Int(facts.st_size), facts.st_mtim.tv_sec))
    }
    state.entries = [:]
    state.byteCount = 0
    for (place, file) in found.sorted(by: { $0.time < $1.time }).enumerated() {
      if let before = state.entries[file.key] {
        unlink("\(folder)/\(before.file)")
        state.byteCount -= before.byteCount
      }
      state.entries[file.key] = Entry(file: file.file, byteCount: file.byteCount, used: UInt64(place))
      state.byteCount += file.byteCount
    }
    state.uses = UInt64(found.count)
  }

  private static func name(_ key: Key, _ digest: [UInt8]) -> String { "\(key.text)-\(Hex.text(digest))" }
}
