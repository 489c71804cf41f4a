import Glibc
public import PhotoModel
public import PluginKit

/// A storage of the photos on any remote that rclone reaches: S3, WebDAV, Nextcloud, Google Drive,
/// SFTP and many more.
///
/// Each step is one run of rclone, connected to the remote and by pipes to this process. It listens
/// on no port, so no other user of the machine can attack one.
public final class RcloneStorage: StorageBackend {
  public static let options: [PluginOption] = [
    PluginOption("remote", .text, summary: "The remote and the folder on it, such as nextcloud:Photos."),
    PluginOption(
      "config", .path, optional: true,
      summary: "Path of the rclone configuration with the remote and its account. Only the broker's user may read it."),
    PluginOption(
      "configuration", .text, optional: true, secret: true,
      summary: "Content of an rclone configuration, instead of its path. rclone cannot save renewed tokens in it."
    ),
    PluginOption(
      "configPassword", .text, optional: true, secret: true,
      summary: "The password of an encrypted rclone configuration."),
    // Unused here: the broker lets a process write to the paths in its options.
    PluginOption(
      "localFolder", .path, optional: true,
      summary:
        "Folder of this machine that an administrator's remote writes to, such as below a crypt or an alias."
    ),
    PluginOption(
      "addFolder", .text, default: "PhotoBroker", summary: "Folder below the remote's folder for added files."),
    PluginOption(
      "rescanSeconds", .integer(5...86_400), unit: "seconds", default: "900", summary: "Time between scans."),
    PluginOption(
      "cacheMiB", .integer(0...1_048_576), unit: "MiB", default: "1024",
      summary: "Size of the cache on the broker's disk for files that apps read. 0 turns it off."),
    PluginOption(
      "readOnly", .flag, default: "false", summary: "Refuses to add, move or trash files."),
    NamePatterns.bins,
  ]

  /// The trash; its name begins with a dot, so that no listing shows it.
  static let trashFolder = ".photobroker-trash"

  private let remote: RemotePath
  private let config: RcloneConfiguration
  private let addFolder: String
  private let isReadOnly: Bool
  private let bins: NamePatterns
  private let rescan: Duration
  private let cacheBytes: Int64
  private let kinds: ContentKinds
  private var listing: Listing?
  private var knownTraits: RemoteTraits?
  /// Whether the server supports range requests; nil before the first check.
  private var sendsParts: Bool?
  private var nextLook: ContinuousClock.Instant?

  public init(options: PluginOptions) throws(PluginError) {
    remote = try RemotePath(options["remote"] ?? "")
    config = try RcloneConfiguration(options)
    kinds = ContentKinds { [remote, config] (file) throws(PluginError) in
      try RcloneProcess(RcloneStep(readingStartOf: file.path, in: remote.root), config: config)
    }
    addFolder = options["addFolder"] ?? ""
    isReadOnly = options.flag("readOnly")
    let bins = NamePatterns(options["bins"] ?? "")
    self.bins = bins
    rescan = .seconds(options.integer("rescanSeconds") ?? 900)
    cacheBytes = Int64(options.integer("cacheMiB") ?? 0) << 20
    guard RemotePath.isLocator(addFolder),
      !addFolder.split(separator: "/").contains(where: { $0.hasPrefix(".") || bins.matches(String($0)) })
    else {
      throw PluginError(
        .invalidOption,
        "Option \"addFolder\" must be a relative path without \"..\", hidden folders and names that option \"bins\" "
          + "matches."
      )
    }
  }

  private func run(
    _ step: RcloneStep, input: Int32? = nil, output: Int32? = nil, log: RcloneLog? = nil, isHeld: Bool = false
  ) throws(PluginError) -> RcloneProcess {
    try RcloneProcess(step, config: config, input: input, output: output, log: log, isHeld: isHeld)
  }

  /// Everything that a run prints.
  /// - Parameter absence: the error for a missing file or folder.
  private func output(
    of process: RcloneProcess, limit: Int = 1 << 20, absence: PluginError = RcloneProcess.fileMissing
  ) throws(PluginError) -> [UInt8] {
    let printed = try process.readAll(limit: limit)
    try process.finish(absence: absence)
    return printed
  }

  /// Read once, because the remote's features do not depend on its files.
  private func traits() throws(PluginError) -> RemoteTraits {
    if let knownTraits { return knownTraits }
    let printed = try output(
      of: run(RcloneStep(["backend", "features"], in: remote.root)), absence: Listing.folderMissing)
    guard let traits = RemoteTraits(printed: printed) else {
      throw PluginError(.failed, "rclone did not list the remote's features. Update rclone.")
    }
    knownTraits = traits
    return traits
  }

  public func facts() throws(PluginError) -> StorageFacts {
    // The user who added the library wrote the configuration. It must not name files that only the
    // broker's user can read.
    if config.descriptor != nil {
      let printed = try output(of: run(RcloneStep(["config", "dump"])))
      try ForeignConfiguration.check(String(decoding: printed, as: UTF8.self))
    }
    return try declared()
  }

  private func declared() throws(PluginError) -> StorageFacts {
    StorageFacts(
      root: nil, changeDetection: .rescan, isReadOnly: isReadOnly,
      notice: "It is scanned every \(rescan.components.seconds) seconds", cacheBytes: cacheBytes,
      readsRanges: true, ignoredNames: bins.patterns)
  }

  public func enumerate(page: String?) throws(PluginError) -> ItemPage {
    if page == nil {
      let traits = try traits()
      let words = ["lsjson", "--recursive", "--files-only", "--no-mimetype"]
      let step = RcloneStep(words + traits.listing + RcloneLog.flags, without: bins, in: remote.root)
      kinds.beginScan()
      listing = Listing(
        try run(step, log: RcloneLog(isMedia: kinds.isMedia)), kinds, logsOwnPaths: traits.logsOwnPaths)
    }
    guard let listing, page == nil || page == String(listing.page) else {
      throw PluginError(.failed, "This page of the list has expired. Start with the first page.")
    }
    do throws(PluginError) {
      let result = try listing.nextPage()
      if result.next == nil { self.listing = nil }
      return result
    } catch {
      self.listing = nil
      throw error
    }
  }

  public func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool {
    let now = ContinuousClock.now
    guard let next = nextLook else {
      nextLook = now + rescan
      return true
    }
    let left = min(.milliseconds(max(0, min(milliseconds, 60_000))), max(.zero, next - now))
    usleep(UInt32(clamping: left.components.seconds * 1_000_000 + left.components.attoseconds / 1_000_000_000_000))
    guard ContinuousClock.now >= next else { return false }
    nextLook = .now + rescan
    return true
  }

  // MARK: Bytes

  public func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError) {
    guard RemotePath.isLocator(locator), offset >= 0 else { throw PluginError(.notFound, "There is no such file.") }
    try read(RcloneStep(reading: locator, in: remote.root, from: offset), locator, contentVersion, into: pipe)
  }

  public func read(locator: String, contentVersion: String, range: Range<Int64>, into pipe: Int32) throws(PluginError) {
    guard RemotePath.isLocator(locator), range.lowerBound >= 0, !range.isEmpty else {
      throw PluginError(.notFound, "There is no such file.")
    }
    let count = range.upperBound - range.lowerBound
    if range.lowerBound > 0 { try checkParts(locator, contentVersion) }
    try read(
      RcloneStep(reading: locator, in: remote.root, from: range.lowerBound, count: count), locator, contentVersion,
      into: pipe)
  }

  /// Checks range support, once in each process. A server without it answers a range request with
  /// the whole file, and rclone takes its beginning for the range. The check requests the last
  /// byte, for which that server sends more than one.
  private func checkParts(_ locator: String, _ contentVersion: String) throws(PluginError) {
    if sendsParts == nil {
      guard let file = try look([locator]).first, file.contentVersion == contentVersion, file.size > 1 else {
        throw Self.changed
      }
      let process = try run(RcloneStep(reading: locator, in: remote.root, from: file.size - 1))
      var count = 0
      while count < 2, let piece = try process.readPiece() { count += piece.count }
      if count < 2 { try process.finish() }
      guard count > 0 else { throw Self.changed }
      sendsParts = count == 1
    }
    if sendsParts == false {
      throw PluginError(.unsupported, "The server ignores byte ranges and sends whole files.")
    }
  }

  private static let changed = PluginError(.notFound, "The file was changed or removed. Scan the library again.")

  /// Reads bytes, then checks the file's version: a file that was overwritten meanwhile has another
  /// one, and the broker discards the bytes of a failed call. The checking process starts first,
  /// because its start takes longer than most photos.
  private func read(_ step: RcloneStep, _ locator: String, _ contentVersion: String, into pipe: Int32)
    throws(PluginError)
  {
    let looking = try beginLook([locator], isHeld: true)
    try run(step, output: pipe).finish()
    guard try endLook(looking, [locator]).first?.contentVersion == contentVersion else {
      throw Self.changed
    }
  }

  /// Looks up files; missing ones are left out.
  private func look(_ locators: [String]) throws(PluginError) -> [ListedFile] {
    try endLook(beginLook(locators), locators)
  }

  private func beginLook(_ locators: [String], isHeld: Bool = false) throws(PluginError) -> RcloneProcess {
    try run(
      RcloneStep(
        ["lsjson", "--recursive", "--files-only", "--no-mimetype"] + traits().listing, of: locators, in: remote.root),
      isHeld: isHeld)
  }

  private func endLook(_ process: RcloneProcess, _ locators: [String]) throws(PluginError) -> [ListedFile] {
    process.tell()
    let printed = try output(of: process)
    let asked = Set(locators.map { ExactText($0) })
    return printed.split(separator: 0x0a).compactMap { ListedFile(line: $0) }.filter {
      asked.contains(ExactText($0.path))
    }
  }

  // MARK: Changes that the broker makes

  public func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem {
    try add(name, contents, size, in: addFolder)
  }

  public func add(name: String, contents: Int32, size: Int64, folder: String) throws(PluginError) -> StorageItem {
    let target = "\(addFolder)/\(folder)"
    do throws(PluginError) { return try add(name, contents, size, in: target) } catch {
      removeIfEmpty(target)
      throw error
    }
  }

  /// Removes empty folders that were made for one request, and empty folders in them. Remotes
  /// without real folders have removed them with their files.
  private func removeIfEmpty(_ folder: String) {
    var parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    let own = addFolder.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.starts(with: own), parts.count > own.count, parts.count <= own.count + 2,
      Hex.number(parts[own.count]) as UInt64? != nil
    else { return }
    while parts.count > own.count {
      do throws(PluginError) {
        try run(RcloneStep(["rmdir"], in: remote.below(parts.joined(separator: "/")))).finish()
      } catch { return }
      parts.removeLast()
    }
  }

  private func add(_ name: String, _ contents: Int32, _ size: Int64, in target: String) throws(PluginError)
    -> StorageItem
  {
    try checkWritable()
    guard RemotePath.isLocator(name), !name.utf8.contains(UInt8(ascii: "/")), name.utf8.first != UInt8(ascii: "."),
      name.utf8.count <= 200
    else {
      throw PluginError(
        .failed, "The file name must have 1 to 200 bytes, no slash and no control characters, and not begin with a dot."
      )
    }
    // No scan would ever list the file.
    guard [.photo, .raw, .video].contains(FileKind(name)) else {
      throw PluginError(.failed, "The library ignores files of this name. Choose another name.")
    }
    // rclone compares the upload with the bytes that it read, so these must be all bytes.
    var facts = stat()
    guard fstat(contents, &facts) == 0, Int64(facts.st_size) == size else {
      throw PluginError(.failed, "The file does not have its announced size. Send it again.")
    }
    // In a hidden folder until it is complete, so that no listing finds half a photo.
    let arriving = "\(addFolder)/.photobroker-\(UInt64.random(in: .min ... .max)).part"
    do throws(PluginError) {
      let file = try ArrivingFile(name, in: RcloneConfiguration.ownFolder)
      // `--local-encoding None`: rclone must not translate characters of the name.
      let upload = ["copy", "--copy-links", "--local-encoding", "None", file.folder]
      // rclone fails if the remote's size differs from the bytes read.
      try run(RcloneStep(upload, in: remote.below(arriving)), input: contents).finish()
      // Checked before the move: under its final name another writer may have replaced it, and that
      // file must stay.
      guard try look(["\(arriving)/\(name)"]).first?.size == size else { throw Self.incomplete }
      let added = try publish(name, from: arriving, in: target)
      guard added.size == size else { throw Self.incomplete }
      // Remotes without real folders have removed it with its file.
      try? run(RcloneStep(["rmdir"], in: remote.below(arriving))).finish()
      return StorageItem(primary: added.file(.original))
    } catch {
      try? run(RcloneStep(["purge"], in: remote.below(arriving))).finish()
      throw error
    }
  }

  private static let incomplete = PluginError(.offline, "The remote did not store the whole file. Try again.")

  /// Moves a file to its name, or into a new folder if files of its family exist. A changed name
  /// would tell the app that other files exist, and files of one family are grouped into one photo.
  private func publish(_ name: String, from arriving: String, in target: String) throws(PluginError) -> ListedFile {
    var source = arriving
    for attempt in 0..<5 {
      let isShared = attempt == 0
      if isShared, try hasRelatives(of: name, in: target) { continue }
      let folder = isShared ? target : "\(target)/\(String(UInt32.random(in: .min ... .max), radix: 16))"
      // Never replaces a file, even a new one, as far as the remote can tell.
      try move([name], from: source, to: folder)
      let left = ExactText("\(source)/\(name)")
      let found = try look([left.text, "\(folder)/\(name)"])
      guard !found.contains(where: { ExactText($0.path) == left }) else { continue }
      guard let added = found.first else {
        throw PluginError(.offline, "The added file is missing on the remote. Try again.")
      }
      // Another process may have added a relative since the first check.
      guard isShared, (try? hasRelatives(of: name, in: target, besides: name)) ?? false else { return added }
      source = folder
    }
    throw PluginError(.failed, "No free name was found for the file. Choose another name.")
  }

  private func hasRelatives(of name: String, in folder: String, besides known: String? = nil) throws(PluginError)
    -> Bool
  {
    let family = NameFamily.of(name)
    let known = known.map { ExactText($0) }
    return try names(in: folder).contains { ExactText($0) != known && NameFamily.of($0) == family }
  }

  private func move(_ files: [String], from source: String, to target: String) throws(PluginError) {
    try run(RcloneStep(moving: files, from: remote.below(source), to: remote.below(target))).finish()
  }

  /// Moves the photo last, so that a repeated call completes an interrupted move.
  private func moveTogether(_ paths: [String], from source: String, to target: String) throws(PluginError) {
    if paths.count > 1 { try move(Array(paths.dropLast()), from: source, to: target) }
    if let photo = paths.last { try move([photo], from: source, to: target) }
  }

  /// Moves the file and its group into a new folder in the remote's trash, so that earlier trashed
  /// files of the path stay. A repeated call continues in the folder of the interrupted one,
  /// recognizable by its missing photo.
  public func trash(locator: String) throws(PluginError) { try trash(locator, with: nil) }

  public func trash(locator: String, known: KnownFile) throws(PluginError) { try trash(locator, with: known.others) }

  private func trash(_ locator: String, with others: [String]?) throws(PluginError) {
    try checkWritable()
    let paths = try group(of: locator, with: others)
    guard !paths.isEmpty else { return }
    let entry = try begunEntry(paths, locator) ?? Self.newTrashName(locator)
    try moveTogether(paths, from: "", to: "\(Self.trashFolder)/\(entry)")
    if let end = locator.utf8.lastIndex(of: UInt8(ascii: "/")) { removeIfEmpty(String(locator[..<end])) }
  }

  public func restore(locator: String, known: KnownFile) throws(PluginError) { try bringBack(locator, known) }

  public func restore(locator: String) throws(PluginError) { try bringBack(locator, nil) }

  /// Never restores over an existing file.
  private func bringBack(_ locator: String, _ known: KnownFile?) throws(PluginError) {
    try checkWritable()
    guard RemotePath.isLocator(locator), let entry = try trashEntry(of: locator, known) else { throw Self.notInTrash }
    let place = "\(Self.trashFolder)/\(entry)"
    let (folder, name) = Self.parts(of: locator)
    let others = try names(in: "\(place)/\(folder)").filter { ExactText($0) != ExactText(name) }
    let paths = others.map { folder + $0 } + [locator]
    // A group is restored as a whole or not at all. The move itself protects a single file.
    if paths.count > 1, try !look(paths).isEmpty { throw Self.taken }
    try moveTogether(paths, from: place, to: "")
    // If another file appeared meanwhile, rclone moves nothing and reports no error.
    guard try look(paths.map { "\(place)/\($0)" }).isEmpty else { throw Self.taken }
  }

  /// The trash folder with the photo of this path.
  /// - Parameter known: the wanted photo; nil for the last one. If several trashed photos match it,
  ///   the latest is returned.
  private func trashEntry(of locator: String, _ known: KnownFile?) throws(PluginError) -> String? {
    let entries = try trashEntries(locator)
    guard !entries.isEmpty else { return nil }
    func place(_ entry: String) -> String { "\(Self.trashFolder)/\(entry)/\(locator)" }
    let found = Dictionary(try look(entries.map(place)).map { (ExactText($0.path), $0) }) { first, _ in first }
    let trashed = entries.reversed().compactMap { entry in
      found[ExactText(place(entry))].map { (entry: entry, file: $0) }
    }
    guard let known else { return trashed.last?.entry }
    // `max` returns the last of equals.
    let likely = trashed.map { (entry: $0.entry, likeness: $0.file.likeness(to: known)) }.filter { $0.likeness > 0 }
    return likely.max { $0.likeness < $1.likeness }?.entry
  }

  private static let notInTrash = PluginError(.notFound, "The trash has no such file.")
  private static let taken = PluginError(
    .failed, "Another file has the name of a file in the trash. Move or rename it, then restore again.")

  /// The last trash folder of this path, if it has none of these files.
  private func begunEntry(_ paths: [String], _ locator: String) throws(PluginError) -> String? {
    guard let entry = try trashEntries(locator).first else { return nil }
    return try look(paths.map { "\(Self.trashFolder)/\(entry)/\($0)" }).isEmpty ? entry : nil
  }

  /// Trash folders of this path, latest first.
  private func trashEntries(_ locator: String) throws(PluginError) -> [String] {
    let names = try entries(of: Self.trashFolder, "--dirs-only").map { String($0.prefix { $0 != "/" }) }
    return names.filter { $0.hasPrefix(Self.trashPrefix(locator)) }.sorted(by: >)
  }

  /// A fixed-length hash of the path (64-bit FNV-1a), which finds its entries among many.
  private static func trashPrefix(_ locator: String) -> String {
    Hex.text(locator.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }) + "-"
  }

  private static func newTrashName(_ locator: String) -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let moment = UInt64(clamping: now.tv_sec) &* 1_000_000 &+ UInt64(clamping: now.tv_nsec / 1_000)
    return trashPrefix(locator) + Hex.text(moment)
  }

  /// The existing files of one photo, the photo last; empty if the photo is missing.
  /// - Parameter others: the files beside it; nil for those that a listing would group with it.
  private func group(of locator: String, with others: [String]?) throws(PluginError) -> [String] {
    guard RemotePath.isLocator(locator) else { throw PluginError(.notFound, "There is no such file.") }
    let (folder, name) = Self.parts(of: locator)
    let names = try names(in: folder)
    guard names.contains(where: { ExactText($0) == ExactText(name) }) else { return [] }
    let known = others.map { Set($0.map { ExactText($0) }) }
    let group = FileGrouping.items(names.map { ($0, ()) }).first { ExactText($0.name) == ExactText(name) }
    let beside =
      known.map { known in names.filter { known.contains(ExactText(folder + $0)) } } ?? group?.others.map(\.name) ?? []
    return (beside + [name]).map { folder + $0 }
  }

  /// The folder with its trailing slash, and the name.
  private static func parts(of locator: String) -> (folder: String, name: String) {
    let folder =
      locator.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(locator[..<locator.utf8.index(after: $0)]) } ?? ""
    return (folder, String(decoding: locator.utf8.dropFirst(folder.utf8.count), as: UTF8.self))
  }

  /// File names in one folder; none if the folder does not exist.
  private func names(in folder: String) throws(PluginError) -> [String] {
    try entries(of: folder, "--files-only")
  }

  /// The entries of one folder, one per line of `rclone lsf`; none if the folder does not exist.
  private func entries(of folder: String, _ kind: String) throws(PluginError) -> [String] {
    do throws(PluginError) {
      let process = try run(RcloneStep(["lsf", kind, "--max-depth", "1"], in: remote.below(folder)))
      return try output(of: process, limit: 64 << 20).split(separator: 0x0a).map {
        String(decoding: $0, as: UTF8.self)
      }
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }

  private func checkWritable() throws(PluginError) {
    if isReadOnly {
      throw PluginError(.readOnly, "This library is read-only. To change its files, turn off option \"readOnly\".")
    }
  }
}
