import CPictureFolder
import Foundation
public import PhotoBroker
import Synchronization

/// A folder that holds exactly what an app may see, for programs that know nothing of the broker
/// (R143).
///
/// Each file of each visible asset is there under its own name, read-only, with a number where two
/// have the same. The broker decides each time a file is opened, whatever the folder believes. What
/// a person takes away is gone at the program's next look, and its open files fail with ESTALE.
public final class PictureFolder: Sendable {
  /// What a person should know about the folder.
  public enum Notice: Sendable, Equatable {
    case waiting
    case open(AuthorizationStatus)
    case closed(AuthorizationStatus)
    case unreachable(String)
  }

  private let library: PhotoLibrary
  private let images: ImageManager
  private let state = Mutex(FolderState())
  // Set once before anything is served, and valid until the process ends.
  private let mounted = Mutex<Mounted?>(nil)
  private let onNotice: @Sendable (Notice) -> Void

  private struct Mounted: @unchecked Sendable {
    // libfuse's own calls may be made from any thread.
    let folder: OpaquePointer
  }

  /// How often to ask whether access came back.
  private static let pause = Duration.seconds(1)

  public init(_ library: PhotoLibrary, onNotice: @escaping @Sendable (Notice) -> Void) {
    self.library = library
    images = ImageManager(library: library)
    self.onNotice = onNotice
  }

  /// Moves this process into a namespace of its own, so that the folder is seen by it and what it
  /// starts, and by nobody else. To be called first of all, while the process has one thread.
  ///
  /// - Returns: 0, or the system's errno: `EPERM` and `ENOSPC` where the machine lets no ordinary
  ///   user have one.
  public static func enterOwnNamespace() -> Int32 { -cpicture_enter_namespace() }

  /// Mounts it on an empty folder of the caller's.
  ///
  /// - Returns: false where the system refuses; libfuse has said why on standard error.
  public func mount(on place: String) -> Bool {
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
      open: { context, name, inode in
        guard let name, let file = PictureFolder.from(context).file(String(cString: name)) else { return -ENOENT }
        inode?.pointee = file.inode
        return PictureFolder.from(context).open(file)
      },
      read: { context, inode, buffer, size, offset in
        guard let buffer, let file = PictureFolder.from(context).state.withLock({ $0.file(inode) }) else {
          return Int64(-ESTALE)
        }
        return PictureFolder.from(context).read(
          file, into: UnsafeMutableRawBufferPointer(start: buffer, count: size), at: offset)
      },
      facts: { context, inode, facts in
        guard let file = PictureFolder.from(context).state.withLock({ $0.file(inode) }) else { return -ESTALE }
        facts?.pointee = file.facts
        return 0
      },
      holds: { context, inode in PictureFolder.from(context).state.withLock { $0.holds(inode) } ? 1 : 0 })
    guard let folder = cpicture_mount(place, source) else { return false }
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

  /// Keeps the folder as the app may see it, until the task is cancelled: asks for access where
  /// nobody has decided, and waits for it to come back where it ended.
  public func follow() async {
    var told: Notice?
    // Asked again and again while there is no access; a person is told once.
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

  /// Everything anew: what is not there any more goes.
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
    forget(
      state.withLock {
        $0.put(
          asset.localIdentifier, modified: modified,
          resources: resources.map { ($0.role, $0.originalFilename, $0.size) })
      })
  }

  private func remove(_ asset: String) { forget(state.withLock { $0.remove(asset) }) }
  private func clear() { for asset in state.withLock(\.assets) { remove(asset) } }

  private func forget(_ names: [String]) {
    guard let mounted = mounted.withLock({ $0 }) else { return }
    for name in names { cpicture_forget(mounted.folder, name) }
  }

  private func file(_ name: String) -> FolderState.File? { state.withLock { $0.files[name] } }

  /// A descriptor of the file's bytes, `CPICTURE_PIECES` where it is too large for one, or a
  /// negative errno. Called on libfuse's threads, which may wait.
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

  /// How many bytes were read of a file without a descriptor, or a negative errno; as above.
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

  /// The negative errno for what a request threw.
  private static func number(_ error: any Error) -> Int32 {
    switch (error as? PhotosError)?.code {
    case .identifierNotFound, .accessUserDenied: -ENOENT
    default: -EIO
    }
  }

  /// What a task answers, for a thread that may wait.
  private func waiting<Answer: Sendable>(_ work: @escaping @Sendable () async -> Answer) -> Answer? {
    let answer = LateAnswer<Answer>()
    Task.detached { answer.give(await work()) }
    return answer.wait()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> PictureFolder {
    // What `mount` handed over, and nothing else, comes back here.
    Unmanaged<PictureFolder>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }
}

/// What a task gives to a thread that waits for it.
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
      inode: inode, size: size, modifiedSeconds: isBefore ? seconds - 1 : seconds,
      modifiedNanoseconds: (isBefore ? rest + 1_000_000 : rest) * 1_000)
  }
}
