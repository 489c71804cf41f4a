public import PhotoModel

/// The storage of a library's photos. Modelled on Android's CloudMediaProvider.
///
/// The broker makes several objects for each library, each with a thread and a process
/// (`photobroker-plugin-host`) of its own. One lists, one waits for changes, one adds, one trashes
/// and restores, and some read. They share no memory. If an administrator trusts the plugin they
/// run in the daemon, on threads of their own.
///
/// Each object is called from its one thread, one call at a time. No call tells which app asks. A
/// call that exceeds its timeout ends the process, and the library is offline until the storage
/// answers again. An administrator may shorten the timeouts (`photobrokerd --plugin-answer`). The
/// broker checks all results: items that exceed the limits in ``ItemFile`` are skipped and counted.
///
/// Source: https://developer.android.com/reference/android/provider/CloudMediaProvider
public protocol StorageBackend: AnyObject {
  /// - Throws: `invalidOption` for well-formed values that make no sense, such as a missing folder.
  init(options: PluginOptions) throws(PluginError)

  /// Describes this storage. The broker calls it after each start. The timeout is 10 seconds.
  /// - Throws: `offline`.
  func facts() throws(PluginError) -> StorageFacts

  /// Lists a page of all items: at most 2,000, in any order, each once. The timeout is 60 seconds.
  ///
  /// A list of over two million items (`photobrokerd --library-photos`), or of over 512 bytes for
  /// each of these, counts as endless and fails.
  /// - Parameter page: ``ItemPage/next`` of the page before; nil for the first page.
  /// - Throws: `offline`.
  func enumerate(page: String?) throws(PluginError) -> ItemPage

  /// Lists one page of the items in some folders, like ``enumerate(page:)``. A folder that does not
  /// exist is empty. The timeout is 60 seconds.
  ///
  /// The broker calls this only for a backend whose ``changedFolders()`` names folders.
  /// - Throws: `offline`; `unsupported`, which causes a full scan.
  func enumerate(folders: [StorageFolder], page: String?) throws(PluginError) -> ItemPage

  /// Waits for a change since the last call; false if none came within the timeout.
  ///
  /// The first call in a process returns true at once. The method has a process of its own, so that
  /// waiting delays no other call. Its deadline is 30 seconds after the timeout.
  /// - Parameter milliseconds: the timeout, usually 2,000. With 0 it reports the changes so
  ///   far, without waiting. The broker does so with a watching backend whose list lacks a known
  ///   file: the file counts as gone only if there was no change.
  /// - Throws: `offline`.
  func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool

  /// Returns the folders that may have changed, at most ``StorageFolder/listLimit``; the broker
  /// scans them alone. Nil, the default, causes a full scan.
  ///
  /// The broker calls it after each ``waitForChanges(milliseconds:)`` that returned true, in the
  /// same process. One answer must hold both folders of a moved file.
  func changedFolders() -> [StorageFolder]?

  /// Writes the bytes of one file into a pipe, from an offset to the end. The broker calls it only
  /// if ``StorageFacts/root`` is nil.
  ///
  /// The number of bytes is ``ItemFile/size`` less the offset. Fewer bytes count as an interrupted
  /// transfer, more as another file. After an interrupted transfer the broker asks again from the
  /// last byte. The timeout is 60 seconds without a byte.
  ///
  /// Each call has a process of its own, so that a long transfer delays no other call; several may
  /// run at a time. The broker counts the bytes, and closes the pipe when it has enough or cancels.
  /// Writing then fails with EPIPE, and the call must return within 2 seconds, even if it waits for
  /// a server. Otherwise its process is ended, which does not count as a failure. A trusted plugin
  /// in the daemon cannot be ended: its object and thread take no other call until it returns.
  /// - Parameters:
  ///   - contentVersion: the version from ``enumerate(page:)``. If the bytes have changed the call
  ///     must throw `notFound`, at its end at the latest, and the broker discards the written
  ///     bytes. Before trashing a file the broker reads one byte for this check alone.
  ///   - pipe: a descriptor open for writing. It stays the caller's.
  /// - Throws: `notFound`, `offline`, `unsupported`.
  func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError)

  /// Writes a range of a file's bytes into a pipe. The broker calls it only if
  /// ``StorageFacts/readsRanges`` is true.
  ///
  /// The broker reads metadata this way, in a few pieces of about 100 KiB.
  /// - Parameter range: not empty. Fewer bytes come only at the end of the file; more are a
  ///   failure.
  /// - Throws: the errors of ``read(locator:contentVersion:from:into:)``, under the same
  ///   conditions; `unsupported` if the server turns out not to send ranges. The broker then asks
  ///   for no more of them until the storage is opened again.
  func read(locator: String, contentVersion: String, range: Range<Int64>, into pipe: Int32) throws(PluginError)

  /// Adds a new file under this name, completely or not at all. The call has a process of its own.
  /// The timeout is 60 seconds, plus one second for each 128 KiB.
  ///
  /// If the folder holds files of the name's ``NameFamily`` the file goes into another folder.
  /// Otherwise it would be grouped with them; a changed name would tell the app that they exist.
  /// - Parameter contents: a descriptor open for reading, at its start. It stays the caller's.
  /// - Throws: `readOnly`, `noSpace`, `offline`.
  func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem

  /// Adds a new file in a folder of its own, which becomes a part of its locator between slashes.
  /// - Parameter folder: the folder's name below the place for added files: 16 hexadecimal digits
  ///   that the broker chose at random. By this name the broker recognizes its own file if a
  ///   process ended before the answer. A file elsewhere then stays, as the owner's.
  /// - Throws: the errors of ``add(name:contents:size:)``.
  func add(name: String, contents: Int32, size: Int64, folder: String) throws(PluginError) -> StorageItem

  /// Stores a new file that ``enumerate(page:)`` does not list until ``publish(_:name:)`` names it.
  /// The timeout is 60 seconds, plus one second for each 128 KiB.
  ///
  /// The broker notes the future ``ItemFile/identityHint``, and so recognizes its own file if a
  /// process ends in between. Another process may publish the file. The storage deletes a file that
  /// was neither published nor discarded within a day.
  /// - Parameter contents: a descriptor open for reading, at its start. It stays the caller's.
  /// - Throws: the errors of ``add(name:contents:size:)``; `unsupported` if files turn out to have
  ///   no hint here, and the broker then adds the file.
  func stage(contents: Int32, size: Int64) throws(PluginError) -> StagedFile

  /// Gives a staged file its name, as ``add(name:contents:size:)`` would, completely or not at all.
  /// The timeout is 60 seconds.
  /// - Parameter file: ``StagedFile/name``, or any other text.
  /// - Throws: the errors of ``add(name:contents:size:)``; `notFound` if no such file is staged.
  func publish(_ file: String, name: String) throws(PluginError) -> StorageItem

  /// Deletes a staged file that will not be published, because the app's request ended. It runs in
  /// the process that stages. The timeout is 60 seconds. A second call succeeds.
  /// - Parameter file: ``StagedFile/name``, or any other text; other files must stay.
  /// - Throws: `readOnly`, `offline`.
  func discard(_ file: String) throws(PluginError)

  /// Trashes a published file of an app's request that ended before it was complete. It takes this
  /// file alone, without files that its owner put beside it; ``restore(locator:)`` restores it.
  ///
  /// It runs in the process that trashes, with the timeout of ``trash(locator:)``. An interrupted
  /// call is repeated, so a second call succeeds.
  /// - Parameters:
  ///   - locator: the file's locator, or any other text.
  ///   - identityHint: ``StagedFile/identityHint``.
  /// - Throws: `notFound` if the file at the locator has another hint; `readOnly`, `offline`.
  func withdraw(locator: String, identityHint: String) throws(PluginError)

  /// Trashes an item's files: ``enumerate(page:)`` no longer lists them, and
  /// ``restore(locator:known:)`` can restore them.
  ///
  /// Earlier trashed files with the same locator stay in the trash and can be restored too. The
  /// broker also calls it for an added file, if the app's request ended before it was complete. The
  /// call has a process of its own. The timeout is 30 seconds, plus one second for each 128 KiB of
  /// the item's files. An interrupted call is repeated, so a second call succeeds.
  /// - Throws: `readOnly`, `offline`.
  func trash(locator: String) throws(PluginError)

  /// Trashes a known photo. Another file of its name stays, if the backend can tell.
  /// - Parameter known: the listed state of the item's first file, and the files to trash with it.
  /// - Throws: the errors of ``trash(locator:)``; `notFound` if another file has the locator.
  func trash(locator: String, known: KnownFile) throws(PluginError)

  /// Restores the files that ``trash(locator:)`` trashed last, with the same locator,
  /// ``ItemFile/contentVersion`` and ``ItemFile/identityHint``. It runs in the same process as
  /// `trash`, with the same timeout.
  ///
  /// It never overwrites a file, and gives no other names: if one of the names is taken, it throws
  /// `failed` and leaves all files in the trash.
  /// - Throws: `notFound` if the trash holds no file of that locator; `readOnly`, `offline`.
  func restore(locator: String) throws(PluginError)

  /// Restores a known photo, which need not be the last one that was trashed under that locator.
  /// - Parameter known: the listed state of the item's first file when it was trashed.
  /// - Throws: the errors of ``restore(locator:)``; `notFound` also if the trash holds others only.
  func restore(locator: String, known: KnownFile) throws(PluginError)

  /// The locator that the first file of a trashed photo has now, so that its owner sees a picture of
  /// it. The broker reads it as any other file, below ``StorageFacts/root`` or with `read`. It runs
  /// in the same process as `trash`, and the timeout is 30 seconds.
  /// - Parameter known: the listed state of the item's first file when it was trashed.
  /// - Throws: `notFound` if the trash holds no such file; `unsupported`, `offline`.
  func findTrashed(locator: String, known: KnownFile) throws(PluginError) -> String
}

extension StorageBackend {
  /// The default for a backend that cannot tell where changes happened.
  public func changedFolders() -> [StorageFolder]? { nil }

  /// The default for a backend that cannot tell where changes happened.
  public func enumerate(folders: [StorageFolder], page: String?) throws(PluginError) -> ItemPage {
    throw PluginError(.unsupported, "This storage can only be scanned as a whole.")
  }

  /// The default for a backend without folders.
  public func add(name: String, contents: Int32, size: Int64, folder: String) throws(PluginError) -> StorageItem {
    try add(name: name, contents: contents, size: size)
  }

  /// The default for a backend without stable hints for unnamed files.
  public func stage(contents: Int32, size: Int64) throws(PluginError) -> StagedFile {
    throw PluginError(.unsupported, "This storage cannot stage files.")
  }

  /// The default for a backend without staging.
  public func publish(_ file: String, name: String) throws(PluginError) -> StorageItem {
    throw PluginError(.unsupported, "This storage cannot stage files.")
  }

  /// The default for a backend without staging.
  public func discard(_ file: String) throws(PluginError) {
    throw PluginError(.unsupported, "This storage cannot stage files.")
  }

  /// The default for a backend without staging.
  public func withdraw(locator: String, identityHint: String) throws(PluginError) {
    throw PluginError(.unsupported, "This storage cannot stage files.")
  }

  /// The default for a backend that cannot tell two files with one name apart.
  public func trash(locator: String, known: KnownFile) throws(PluginError) { try trash(locator: locator) }

  /// The default for a backend whose trash never holds two files of one locator.
  public func restore(locator: String, known: KnownFile) throws(PluginError) { try restore(locator: locator) }

  /// The default for a backend whose trash cannot be read.
  public func findTrashed(locator: String, known: KnownFile) throws(PluginError) -> String {
    throw PluginError(.unsupported, "This storage does not show its trash.")
  }

  /// The default for a backend whose files the broker opens itself.
  public func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError) {
    throw PluginError(.unsupported, "This storage does not offer read. Its files are opened below its root.")
  }

  /// The default for a backend without range reads.
  public func read(locator: String, contentVersion: String, range: Range<Int64>, into pipe: Int32) throws(PluginError) {
    throw PluginError(.unsupported, "This storage reads files to their end only.")
  }
}

/// A storage's description of itself.
public struct StorageFacts: Sendable, Equatable {
  public enum ChangeDetection: String, Sendable { case watch, rescan }

  /// The root folder, below which locators are paths and the broker opens files itself. Nil: the
  /// broker reads with ``StorageBackend/read(locator:contentVersion:from:into:)``.
  public var root: String?
  public var changeDetection: ChangeDetection
  /// Whether the storage takes no changes: it adds, trashes and restores nothing.
  public var isReadOnly: Bool
  /// A note for the owner, such as the reason why changes are found by rescans only; nil for none.
  public var notice: String?
  /// Maximum size of the broker's disk cache of this storage, which saves downloads. 0: no cache.
  public var cacheBytes: Int64
  /// Whether the storage supports ``StorageBackend/read(locator:contentVersion:range:into:)``
  /// without reading the rest of the file.
  public var readsRanges: Bool
  /// Patterns for names that the storage leaves out, such as bins, for the owner; at most 256, of 256
  /// bytes.
  public var ignoredNames: [String]
  /// Whether files can be added.
  public var takesAdditions: Bool
  /// Whether files anywhere in the storage can be trashed. A storage that can trash added files
  /// alone says no, so that apps are not offered deletions that mostly fail.
  public var takesDeletions: Bool

  /// - Parameters:
  ///   - takesAdditions: nil: unless it is read-only.
  ///   - takesDeletions: nil: unless it is read-only.
  public init(
    root: String?, changeDetection: ChangeDetection, isReadOnly: Bool, notice: String? = nil, cacheBytes: Int64 = 0,
    readsRanges: Bool = false, ignoredNames: [String] = [], takesAdditions: Bool? = nil, takesDeletions: Bool? = nil
  ) {
    self.root = root
    self.changeDetection = changeDetection
    self.isReadOnly = isReadOnly
    self.notice = notice
    self.cacheBytes = cacheBytes
    self.readsRanges = readsRanges
    self.ignoredNames = ignoredNames
    self.takesAdditions = takesAdditions ?? !isReadOnly
    self.takesDeletions = takesDeletions ?? !isReadOnly
  }
}

/// One page of ``StorageBackend/enumerate(page:)``.
public struct ItemPage: Sendable {
  public var items: [StorageItem]
  /// Number of files that exist, cannot be used, and are not in ``leftOut``.
  public var skipped: Int
  /// The parameter for the next page, each time a new one, at most 4,096 bytes. Nil at the end.
  public var next: String?
  /// Folders that could not be read, with all below them; assets known there stay known. A folder
  /// that an option excludes is included if it may hide known assets, but not counted as
  /// ``skipped``. At most ``StorageFolder/listLimit``; an empty path stands for more.
  public var unreadable: [String]
  /// The volumes found so far, at the latest on the page with their first items. Assets on a volume
  /// that is absent here stay known and are offline. Empty if the backend has no volumes.
  public var volumes: [StorageVolume]
  /// Files and folders that are in no item, with the causes, each on one page. At most 2,000, less
  /// the items.
  public var leftOut: [LeftOutFile]

  public init(
    items: [StorageItem], skipped: Int, next: String?, unreadable: [String] = [], volumes: [StorageVolume] = [],
    leftOut: [LeftOutFile] = []
  ) {
    self.items = items
    self.skipped = skipped
    self.next = next
    self.unreadable = unreadable
    self.volumes = volumes
    self.leftOut = leftOut
  }
}
