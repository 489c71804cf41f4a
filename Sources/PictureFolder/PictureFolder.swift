import CPictureFolder
public import Foundation
public import PhotoBroker
import Synchronization

/// A folder with exactly the assets visible to an app, for programs that do not know the broker
/// (R143).
///
/// Each file of each visible asset appears under its own name, read-only, with a number if two have
/// the same. The broker decides at each opening, whatever the folder's state. A deselected photo
/// disappears at the program's next access, and its open files fail with ESTALE.
public final class PictureFolder: Sendable {
  /// An event that a person should know about.
  public enum Notice: Sendable, Equatable {
    case waiting
    case open(AuthorizationStatus)
    case closed(AuthorizationStatus)
    case unreachable(String)
  }

  private let library: PhotoLibrary
  private let images: ImageManager
  private let state: Mutex<FolderState>
  private let names: NamesFile?
  // Set once before serving, and valid until the process ends.
  private let mounted = Mutex<Mounted?>(nil)
  private let onNotice: @Sendable (Notice) -> Void

  private struct Mounted: @unchecked Sendable {
    // libfuse allows its calls on any thread.
    let folder: OpaquePointer
  }

  /// The interval of queries whether access was restored.
  private static let pause = Duration.seconds(1)

  /// - Parameter names: The file that keeps the photos' names for the next start. Without it, or if
  ///   it cannot be written, names are kept until the end of this process.
  public init(_ library: PhotoLibrary, names: URL?, onNotice: @escaping @Sendable (Notice) -> Void) {
    self.library = library
    images = ImageManager(library: library)
    self.onNotice = onNotice
    self.names = names.flatMap { NamesFile($0) }
    state = Mutex(FolderState(self.names?.load() ?? FolderNames()))
  }

  /// Moves this process into a mount namespace, so that only this process and its children see the
  /// folder. Call it first, while the process has one thread.
  ///
  /// - Returns: 0 or an errno: `EPERM` and `ENOSPC` if the machine denies namespaces to ordinary
  ///   users.
  public static func enterOwnNamespace() -> Int32 { -cpicture_enter_namespace() }

  /// Mounts the folder on an empty one of the caller's user.
  ///
  /// - Parameter user: Another user who may read the folder; nil: the caller alone.
  /// - Returns: False if the system refuses; libfuse has written the reason to standard error.
  public func mount(on place: String, for user: UInt32? = nil) -> Bool {
    let source = CPictureSource(
      context: Unmanaged.passRetained(self).toOpaque(),
      list: { context, sink, take in
        guard let take else { return }
        for (name, file) in PictureFolder.from(context).state.withLock(\.files) {
          var facts = file.facts
          if take(sink, name, &facts) != 0 { return }
        }
      },
      look: { context, name, facts in
        guard let name, let file = PictureFolder.from(context).file(String(cString: name)) else { return -ENOENT }
        facts?.pointee = file.facts
        return 0
      },
      open: { context, name, facts in
        guard let name, let file = PictureFolder.from(context).file(String(cString: name)) else { return -ENOENT }
        facts?.pointee = file.facts
        return PictureFolder.from(context).open(file)
      },
      read: { context, serial, buffer, size, offset in
        guard let buffer, let file = PictureFolder.from(context).state.withLock({ $0.file(serial) }) else {
          return Int64(-ESTALE)
        }
        return PictureFolder.from(context).read(
          file, into: UnsafeMutableRawBufferPointer(start: buffer, count: size), at: offset)
      },
      facts: { context, serial, facts in
        guard let file = PictureFolder.from(context).state.withLock({ $0.file(serial) }) else { return -ESTALE }
        facts?.pointee = file.facts
        return 0
      },
      holds: { context, serial in PictureFolder.from(context).state.withLock { $0.holds(serial) } ? 1 : 0 })
    guard let folder = cpicture_mount(place, source, user.map { Int64($0) } ?? -1) else { return false }
    mounted.withLock { $0 = Mounted(folder: folder) }
    return true
  }

  /// Serves until ``stop()`` or an unmount from outside. Blocks its thread.
  public func serve() -> Bool {
    guard let mounted = mounted.withLock({ $0 }) else { return false }
    return cpicture_serve(mounted.folder) == 0
  }

  public func stop() {
    if let mounted = mounted.withLock({ $0 }) { cpicture_stop(mounted.folder) }
  }

  /// Updates the folder until the task is cancelled. Requests access if it is undecided, and waits
  /// for its return after it ended.
  public func follow() async {
    var told: Notice?
    // Access is queried repeatedly, but each state is reported once.
    func tell(_ notice: Notice) {
      if notice != told { onNotice(notice) }
      told = notice
    }
    while !Task.isCancelled {
      do {
        if try await library.authorizationStatus(for: .readWrite) == .notDetermined { tell(.waiting) }
        let status = try await library.requestAuthorization(for: .readWrite)
        if status.grantsAccess { try await observe { tell(.open($0)) } }
        tell(.closed(status))
      } catch is CancellationError {
        break
      } catch let error as PhotosError where error.code == .accessUserDenied || error.code == .accessRestricted {
        tell(.closed(.denied))
      } catch {
        tell(.unreachable("\(error)"))
      }
      clear()
      try? await Task.sleep(for: Self.pause)
    }
    clear()
  }

  private func observe(_ isOpen: (AuthorizationStatus) -> Void) async throws {
    var status: AuthorizationStatus?
    for try await change in library.changes() {
      guard change.status.grantsAccess else { return }
      if status == nil || change.mustResynchronize { try await load() }
      for identifier in change.removedIdentifiers { remove(identifier) }
      for asset in change.insertedObjects + change.changedObjects { try await put(asset) }
      if status != change.status { isOpen(change.status) }
      status = change.status
    }
  }

  /// Reloads all assets and removes those that are gone.
  private func load() async throws {
    var seen: Set<String> = []
    for try await asset in try await Asset.fetchAssets(in: library) {
      seen.insert(asset.localIdentifier)
      try await put(asset)
    }
    for identifier in state.withLock(\.assets).subtracting(seen) { remove(identifier) }
  }

  private func put(_ asset: Asset) async throws {
    let resources: [AssetResource]
    do {
      resources = try await AssetResource.assetResources(for: asset, in: library)
    } catch let error as PhotosError where error.code == .identifierNotFound {
      return remove(asset.localIdentifier)
    }
    let modified = Int64(asset.modificationDate.timeIntervalSince1970 * 1_000_000)
    let (gone, lines) = state.withLock {
      (
        $0.put(
          asset.localIdentifier, modified: modified,
          resources: resources.map { ($0.role, $0.originalFilename, $0.size) }),
        $0.takeNewNames()
      )
    }
    if !lines.isEmpty { names?.append(lines) }
    forget(gone)
  }

  private func remove(_ asset: String) { forget(state.withLock { $0.remove(asset) }) }
  private func clear() { for asset in state.withLock(\.assets) { remove(asset) } }

  private func forget(_ names: [String]) {
    guard let mounted = mounted.withLock({ $0 }) else { return }
    for name in names { cpicture_forget(mounted.folder, name) }
  }

  private func file(_ name: String) -> FolderState.File? { state.withLock { $0.files[name] } }

  /// A descriptor of the file's bytes, `CPICTURE_PIECES` if the file is too large for one, or a
  /// negative errno. Called on libfuse's threads, which may block.
  private func open(_ file: FolderState.File) -> Int32 {
    waiting { [images] in
      do {
        let handle = try await images.requestFile(ofAsset: file.asset, role: file.role)
        let own = fcntl(handle.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        return own >= 0 ? own : -EMFILE
      } catch let error as PhotosError where error.code == .requestNotSupportedForAsset {
        return Int32(CPICTURE_PIECES)
      } catch {
        return Self.number(error)
      }
    } ?? -EIO
  }

  /// Reads a file without a descriptor. Returns the number of bytes, or a negative errno. Called on
  /// libfuse's threads.
  private func read(_ file: FolderState.File, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int64 {
    let size = buffer.count
    let read: Result<Data, POSIXError>? = waiting { [images] in
      var all = Data()
      do {
        while all.count < size {
          let (piece, isLast) = try await images.requestPiece(
            ofAsset: file.asset, role: file.role, offset: offset + Int64(all.count), length: size - all.count)
          all.append(piece)
          if isLast || piece.isEmpty { break }
        }
        return .success(all)
      } catch {
        return .failure(POSIXError(POSIXErrorCode(rawValue: -Self.number(error)) ?? .EIO))
      }
    }
    switch read {
    case .success(let data): return Int64(data.copyBytes(to: buffer))
    case .failure(let error): return -Int64(error.code.rawValue)
    case nil: return Int64(-EIO)
    }
  }

  /// The negative errno for a failed request.
  private static func number(_ error: any Error) -> Int32 {
    switch (error as? PhotosError)?.code {
    case .identifierNotFound, .accessUserDenied: -ENOENT
    default: -EIO
    }
  }

  /// Runs a task and blocks until its result.
  private func waiting<Answer: Sendable>(_ work: @escaping @Sendable () async -> Answer) -> Answer? {
    let answer = LateAnswer<Answer>()
    Task.detached { answer.give(await work()) }
    return answer.wait()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> PictureFolder {
    // The context is always the object that `mount` retained.
    Unmanaged<PictureFolder>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }
}

/// The result of a task, for a thread that waits for it.
private final class LateAnswer<Answer: Sendable>: Sendable {
  private let value = Mutex<Answer?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ answer: Answer) {
    value.withLock { $0 = answer }
    isThere.signal()
  }

  func wait() -> Answer? {
    isThere.wait()
    return value.withLock { $0 }
  }
}

extension FolderState.File {
  fileprivate var facts: CPictureFile {
    let (seconds, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000)
    let isBefore = rest < 0
    return CPictureFile(
      inode: inode, serial: serial, size: size, modifiedSeconds: isBefore ? seconds - 1 : seconds,
      modifiedNanoseconds: (isBefore ? rest + 1_000_000 : rest) * 1_000)
  }
}
