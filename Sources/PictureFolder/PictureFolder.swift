import CPictureFolder
import Foundation
public import PhotoBroker
import Synchronization

/// A folder that holds exactly what an app may see, for programs that know nothing of the broker (R143).
///
/// Each file of each visible asset is there under its own name, read-only, with a number where two have the same. The broker
/// decides each time a file is opened, whatever the folder believes. What a person takes away is gone at the program's next
/// look, and its open files fail with ESTALE.
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

  /// Moves this process into a namespace of its own, so that the folder is seen by it and what it starts, and by nobody else. To
  /// be called first of all, while the process has one thread.
  ///
  /// - Returns: 0, or the system's errno: `EPERM` and `ENOSPC` where the machine lets no ordinary user have one.
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

  /// Keeps the folder as the app may see it, until the task is cancelled: asks for access where nobody has decided, and waits
  /// for it to come back where it ended.
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
        $0.put(asset.localIdentifier, modified: modified, resources: resources.map { ($0.role, $0.originalFilename, $0.size) })
      })
  }

  private func remove(_ asset: String) { forget(state.withLock { $0.remove(asset) }) }
  private func clear() { for asset in state.withLock(\.assets) { remove(asset) } }

  private func forget(_ names: [String]) {
    guard let mounted = mounted.withLock({ $0 }) else { return }
    for name in names { cpicture_forget(mounted.folder, name) }
  }

  private func file(_ name: String) -> FolderState.File? { state.withLock { $0.files[name] } }

  /// A descriptor of the file's bytes, or a negative errno. Called on libfuse's threads, which may wait.
  private func open(_ file: FolderState.File) -> Int32 {
    let answer = LateAnswer()
    Task.detached { [images] in
      do {
        let handle = try await images.requestFile(ofAsset: file.asset, role: file.role)
        let own = fcntl(handle.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        answer.give(own >= 0 ? own : -EMFILE)
      } catch let error as PhotosError {
        answer.give(error.code == .identifierNotFound || error.code == .accessUserDenied ? -ENOENT : -EIO)
      } catch {
        answer.give(-EIO)
      }
    }
    return answer.wait()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> PictureFolder {
    // What `mount` handed over, and nothing else, comes back here.
    Unmanaged<PictureFolder>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }
}

/// A number that a task gives to a thread that waits for it.
private final class LateAnswer: Sendable {
  private let value = Mutex<Int32>(-EIO)
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ number: Int32) {
    value.withLock { $0 = number }
    isThere.signal()
  }

  func wait() -> Int32 {
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
