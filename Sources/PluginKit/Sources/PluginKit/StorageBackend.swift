public import PhotoModel

/// Where a library's photos are. Modelled on Android's CloudMediaProvider.
///
/// The broker makes several objects for each library, each with a thread and a process
/// (`photobroker-plugin-host`) of its own: one for lists and changes, one that waits for changes,
/// one that adds, one for the trash, and some that read. Nothing is shared between them. Where an
/// administrator marked the plugin as trusted they live in the daemon, on threads of their own.
/// Each is called from its one thread, one call after the other. It never learns which app asks. A
/// call that takes longer than its deadline ends the process; the library is offline until it
/// answers again. An administrator may have every answer waited for less long (`photobrokerd
/// --plugin-answer`). Everything that is returned is checked: items that break the limits in
/// ``ItemFile`` are left out and counted. Source:
/// https://developer.android.com/reference/android/provider/CloudMediaProvider
public protocol StorageBackend: AnyObject {
  /// - Throws: `invalidOption` for values that are well-formed and make no sense, such as a folder that is not there.
  init(options: PluginOptions) throws(PluginError)

  /// What this storage is. Called first, and again after each restart. Deadline: 10 seconds.
  /// - Throws: `offline`.
  func facts() throws(PluginError) -> StorageFacts

  /// A page of everything that is there: at most 2,000 items, in any order, each on one page of a
  /// list. Deadline: 60 seconds a page. A list of more than two million items, or of more than 512
  /// bytes for each of these, is taken for one without an end (`photobrokerd --library-photos`).
  /// - Parameter page: As the page before named it; nil: the first one.
  /// - Throws: `offline`.
  func enumerate(page: String?) throws(PluginError) -> ItemPage

  /// A page of what is in some folders, as ``enumerate(page:)`` would give it; a folder that is not
  /// there has nothing in it. Only asked of a backend that names folders in ``changedFolders()``.
  /// Deadline: 60 seconds.
  /// - Throws: `offline`; `unsupported`, which has everything looked at instead.
  func enumerate(folders: [StorageFolder], page: String?) throws(PluginError) -> ItemPage

  /// Waits until something may have changed since the last call returned; false when nothing did
  /// within the timeout. The first call of a process answers true at once. Called in a process of
  /// its own, so that waiting holds up no other call. Deadline: 30 seconds more than the timeout.
  /// - Parameter milliseconds: The timeout; 2,000 at most times. 0: only tell what has happened by
  ///   now; asked so of a backend that watches where a list lacks a known file, which is gone only
  ///   where nothing is told.
  /// - Throws: `offline`.
  func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool

  /// Where something may have changed, asked after each ``waitForChanges(milliseconds:)`` that
  /// answered true, in the same process: only these folders are looked at then. Both places of a
  /// moved file must be named in one answer. At most ``StorageFolder/listLimit``. Nil, which is the
  /// default: anywhere, so that everything is looked at.
  func changedFolders() -> [StorageFolder]?

  /// Writes the bytes of one file into a pipe, from an offset to its end; only asked where
  /// ``StorageFacts/root`` is nil. They are as many as ``ItemFile/size`` said: fewer are taken for
  /// a transfer that broke, more for another file.
  ///
  /// Called in a process of its own, so that a long transfer holds up no other call; several may
  /// run at a time, each in its own. The broker counts what comes and closes the pipe when it has
  /// enough or does not want it any more: writing then fails with EPIPE, and the call must end
  /// within 2 seconds, also where it waits for a server at that time; its process is ended
  /// otherwise, which is no fault. One in the daemon (`--trust`) cannot be ended: it keeps its
  /// thread, and the object takes no other call, until it comes back. The broker asks again, from
  /// where the bytes stopped, where a transfer broke. Deadline: 60 seconds without a byte.
  ///
  /// - Parameters:
  ///   - contentVersion: As ``enumerate(page:)`` gave it. Where the bytes are other ones by now the
  ///     call must fail with `notFound`, before its end at the latest: what it wrote is then thrown
  ///     away. Before the file is trashed a byte of it is read only for that.
  ///   - pipe: A descriptor open for writing; it stays the caller's.
  /// - Throws: `notFound`, `offline`, `unsupported`.
  func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError)

  /// The same for some of the file's bytes; only asked where ``StorageFacts/readsRanges`` is true.
  /// What a photo says of itself is then read in a few pieces of some 100 KiB, and not as a whole.
  ///
  /// - Parameter range: Not empty. Fewer bytes only where the file ends before; more are taken for
  ///   a fault.
  /// - Throws: as ``read(locator:contentVersion:from:into:)``, and on the same conditions;
  ///   `unsupported` where it turns out that the server sends no parts: no more of them are asked
  ///   for until the storage is opened anew.
  func read(locator: String, contentVersion: String, range: Range<Int64>, into pipe: Int32) throws(PluginError)

  /// Keeps a new file under this name; where files of its ``NameFamily`` are, in another folder,
  /// because the app that adds it sees the name, and it must not tell what else is there, and
  /// because it would be taken for a part of what is there. All or nothing. Called in a process of
  /// its own, as reading is. Deadline: 60 seconds, and one more for each 128 KiB.
  /// - Parameter contents: A descriptor open for reading from its start; it stays the caller's.
  /// - Throws: `readOnly`, `noSpace`, `offline`.
  func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem

  /// The same in a folder of its own.
  /// - Parameter folder: Its name, below the place where added files go: 16 hexadecimal digits that
  ///   nobody else has chosen. By it the broker knows the file as its own where either ends before
  ///   the answer; one that lies elsewhere then stays, as the owner's. The locator has this name
  ///   between slashes.
  /// - Throws: as ``add(name:contents:size:)``.
  func add(name: String, contents: Int32, size: Int64, folder: String) throws(PluginError) -> StorageItem

  /// Keeps a new file where ``enumerate(page:)`` does not find it, until ``publish(_:name:)`` gives
  /// it a name. The broker notes by which ``ItemFile/identityHint`` it will be known, so that it
  /// knows the file as its own wherever either ends in between. Called in a process of its own, as
  /// adding is, which may be another one than that which publishes it. One that is neither
  /// published nor discarded within a day is the storage's to take away. Deadline: 60 seconds, and
  /// one more for each 128 KiB.
  /// - Parameter contents: A descriptor open for reading from its start; it stays the caller's.
  /// - Throws: as ``add(name:contents:size:)``; `unsupported` where it turns out that a file is not
  ///   known by a hint here: it is added.
  func stage(contents: Int32, size: Int64) throws(PluginError) -> StagedFile

  /// Gives a staged file a name among the others, as ``add(name:contents:size:)`` would. All or
  /// nothing. Deadline: 60 seconds.
  /// - Parameter file: ``StagedFile/name``; any text may come.
  /// - Throws: as ``add(name:contents:size:)``; `notFound` where there is no such staged file.
  func publish(_ file: String, name: String) throws(PluginError) -> StorageItem

  /// Takes away a staged file that will not be published: the app's request ended before. Done
  /// already counts as done. Called in the process that stages. Deadline: 60 seconds.
  /// - Parameter file: ``StagedFile/name``; any text may come, and of one that was never staged
  ///   nothing is touched.
  /// - Throws: `readOnly`, `offline`.
  func discard(_ file: String) throws(PluginError)

  /// Takes a published file out of what ``enumerate(page:)`` gives, for an app's request that ended
  /// before all of it was there: this file alone, with nothing that its owner put beside it.
  /// ``restore(locator:)`` brings it back. Done already counts as done, and a call that was cut off
  /// is made again. Called in the process that trashes. Deadline: as of ``trash(locator:)``.
  /// - Parameters:
  ///   - locator: Where it lies; any text may come.
  ///   - identityHint: ``StagedFile/identityHint``.
  /// - Throws: `notFound` where the file there is known by another hint; `readOnly`, `offline`.
  func withdraw(locator: String, identityHint: String) throws(PluginError)

  /// Takes an item's files out of what ``enumerate(page:)`` gives, so that
  /// ``restore(locator:known:)`` can bring them back. What lies in the trash of an earlier file of
  /// that locator stays there, and can be brought back as well. Also of a file that was added, and
  /// not staged, for an app's request which ended before all of it was there. Done already counts
  /// as done, and a call that was cut off is made again. Called in a process of its own. Deadline:
  /// 30 seconds, and one more for each 128 KiB of the item's files.
  /// - Throws: `readOnly`, `offline`.
  func trash(locator: String) throws(PluginError)

  /// The same of a photo that the broker knows: where its file can be told from another one that
  /// its owner gave its name to meanwhile, that one is not touched, whenever it came.
  /// - Parameter known: How the item's first file was listed, and which files go along with it.
  /// - Throws: as ``trash(locator:)``; `notFound` where another file is there.
  func trash(locator: String, known: KnownFile) throws(PluginError)

  /// Brings back what ``trash(locator:)`` took away last, in the same process and by the same
  /// deadline, with the same locator, ``ItemFile/contentVersion`` and ``ItemFile/identityHint``.
  /// Never over a file that is there by now: beside it, under another name, or not at all
  /// (`failed`).
  /// - Throws: `notFound` where the trash has nothing of that locator; `readOnly`, `offline`.
  func restore(locator: String) throws(PluginError)

  /// The same of a photo that the broker knows, which may be another one than what was trashed last under that locator.
  /// - Parameter known: How the item's first file was listed when it was trashed.
  /// - Throws: as ``restore(locator:)``; `notFound` also where the trash has only others of that locator.
  func restore(locator: String, known: KnownFile) throws(PluginError)
}

extension StorageBackend {
  /// For a backend that does not know where something changed.
  public func changedFolders() -> [StorageFolder]? { nil }

  /// For a backend that does not know where something changed.
  public func enumerate(folders: [StorageFolder], page: String?) throws(PluginError) -> ItemPage {
    throw PluginError(.unsupported, "This storage is looked at as a whole.")
  }

  /// For a backend without folders.
  public func add(name: String, contents: Int32, size: Int64, folder: String) throws(PluginError) -> StorageItem {
    try add(name: name, contents: contents, size: size)
  }

  /// For a backend whose files are not known by a hint before they have a name.
  public func stage(contents: Int32, size: Int64) throws(PluginError) -> StagedFile {
    throw PluginError(.unsupported, "This storage holds no files without a name.")
  }

  /// For a backend that stages nothing.
  public func publish(_ file: String, name: String) throws(PluginError) -> StorageItem {
    throw PluginError(.unsupported, "This storage holds no files without a name.")
  }

  /// For a backend that stages nothing.
  public func discard(_ file: String) throws(PluginError) {
    throw PluginError(.unsupported, "This storage holds no files without a name.")
  }

  /// For a backend that stages nothing.
  public func withdraw(locator: String, identityHint: String) throws(PluginError) {
    throw PluginError(.unsupported, "This storage holds no files without a name.")
  }

  /// For a backend that cannot tell two files of one name apart.
  public func trash(locator: String, known: KnownFile) throws(PluginError) { try trash(locator: locator) }

  /// For a backend whose trash never has two files of one locator.
  public func restore(locator: String, known: KnownFile) throws(PluginError) { try restore(locator: locator) }

  /// For a backend whose files the broker opens itself.
  public func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError) {
    throw PluginError(.unsupported, "This storage hands over no bytes; its files are opened below its root.")
  }

  /// For a backend that reads no ranges.
  public func read(locator: String, contentVersion: String, range: Range<Int64>, into pipe: Int32) throws(PluginError) {
    throw PluginError(.unsupported, "This storage hands over files to their end only.")
  }
}

/// What a storage backend says of itself.
public struct StorageFacts: Sendable, Equatable {
  public enum ChangeDetection: String, Sendable { case watch, rescan }

  /// The folder below which locators are paths; the broker opens files there itself. Nil: it asks for their bytes with
  /// ``StorageBackend/read(locator:contentVersion:from:into:)``.
  public var root: String?
  public var changeDetection: ChangeDetection
  /// Whether it takes no changes anywhere: nothing is added, trashed or restored.
  public var isReadOnly: Bool
  /// What the owner should know, such as why changes are found by rescans only. Nil: nothing.
  public var notice: String?
  /// How many bytes of what is read from here the broker may keep on its own disk, so that it is
  /// not read again: for files that are far away. 0: none.
  public var cacheBytes: Int64
  /// Whether ``StorageBackend/read(locator:contentVersion:range:into:)`` reads some bytes of a file
  /// without reading the others.
  public var readsRanges: Bool

  public init(
    root: String?, changeDetection: ChangeDetection, isReadOnly: Bool, notice: String? = nil, cacheBytes: Int64 = 0,
    readsRanges: Bool = false
  ) {
    self.root = root
    self.changeDetection = changeDetection
    self.isReadOnly = isReadOnly
    self.notice = notice
    self.cacheBytes = cacheBytes
    self.readsRanges = readsRanges
  }
}

/// A page of ``StorageBackend/enumerate(page:)``.
public struct ItemPage: Sendable {
  public var items: [StorageItem]
  /// Files that are there and cannot be used.
  public var skipped: Int
  /// How the next page is asked for: another text on each page of a list, at most 4,096 bytes. Nil:
  /// this was the last page.
  public var next: String?
  /// Folders that could not be read, with all below them: what was known in them stays known. One
  /// that an option leaves out, and that may hide what was known there, stands here too, without
  /// being counted as ``skipped``. At most ``StorageFolder/listLimit``; where there are more, an
  /// empty path stands for all.
  public var unreadable: [String]
  /// The volumes that were found, on the page with whatever lies on them or before it. What was
  /// known on a volume that is missing here stays known, and is offline. Empty: the backend has no
  /// such thing.
  public var volumes: [StorageVolume]

  public init(
    items: [StorageItem], skipped: Int, next: String?, unreadable: [String] = [], volumes: [StorageVolume] = []
  ) {
    self.items = items
    self.skipped = skipped
    self.next = next
    self.unreadable = unreadable
    self.volumes = volumes
  }
}
