import Broker
import Delivery
import Glibc
import Indexer
import MediaClient
import PhotoModel
import Synchronization
import UnixSocket

/// The media workers of one library. One reads new files; the least busy one makes a picture. Each
/// process starts with its first file.
final class WorkerMedia: LibraryMedia {
  /// As many as can work in parallel.
  static let processes = min(LibraryWorkers.Kind.read.threads, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  private let clients: [MediaClient]
  private let makeWorker: @Sendable () -> MediaClient
  /// Number of running and queued pictures of each worker.
  private let pictures: Mutex<[Int]>

  /// - Parameter makeWorker: Makes a client with a process of its own. The first one reads facts.
  init(_ makeWorker: @escaping @Sendable () -> MediaClient) {
    self.makeWorker = makeWorker
    clients = (0..<Self.processes).map { _ in makeWorker() }
    pictures = Mutex([Int](repeating: 0, count: clients.count))
  }

  var unavailable: String? { clients.first?.absence.map(\.message) }
  let factsVersion = MediaFacts.version

  /// The least busy one. Among equals the last one, because the first one may have files to read.
  private func takePainter() -> Int {
    pictures.withLock { pictures in
      let index = pictures.indices.reversed().min { pictures[$0] < pictures[$1] } ?? 0
      pictures[index] += 1
      return index
    }
  }

  func facts(_ original: borrowing FileDescriptor, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> ItemFacts
  {
    let client = clients[0]
    let facts = try Self.answer(orElse: "No descriptor is left") {
      if let sidecar {
        try client.facts(of: original, sidecar: try sidecar.descriptor.duplicate())
      } else {
        try client.facts(of: original)
      }
    }
    return try Self.checked(facts)
  }

  func facts(_ original: PartialCopy, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> FarFacts {
    let client = clients[0]
    let found = try Self.answer(orElse: "No descriptor is left") {
      if let sidecar {
        try client.facts(
          ofParts: original.descriptor, byteCount: original.byteCount, parts: original.parts,
          sidecar: try sidecar.descriptor.duplicate())
      } else {
        try client.facts(ofParts: original.descriptor, byteCount: original.byteCount, parts: original.parts)
      }
    }
    switch found {
    case .facts(let facts): return .facts(try Self.checked(facts))
    case .needs(let range): return .needs(range)
    }
  }

  func signature(_ original: borrowing FileDescriptor, name: String) throws(MediaFailure) -> ItemFacts {
    let found: MediaFacts
    do { found = try clients[0].signature(of: original) } catch { throw MediaFailure(error) }
    return try Self.checked(found)
  }

  private static func answer<R>(orElse problem: String, _ body: () throws -> R) throws(MediaFailure) -> R {
    do { return try body() } catch let error as MediaError { throw MediaFailure(error) } catch {
      throw MediaFailure(code: .unavailable, message: "\(problem): \(error)")
    }
  }

  /// Content decides: neither the name nor a decoder that gives up.
  private static func checked(_ facts: MediaFacts) throws(MediaFailure) -> ItemFacts {
    guard facts.mediaType != .unknown else {
      throw MediaFailure(code: .unusable, message: "it is neither a photo nor a video", why: .fileNoMedia)
    }
    return ItemFacts(facts)
  }

  func thumbnail(_ original: borrowing FileDescriptor, pixels: Int, _ transfer: Transfer) throws(MediaFailure)
    -> SealedCopy
  {
    let painter = takePainter()
    defer { pictures.withLock { $0[painter] -= 1 } }
    return try Self.answer(orElse: "The picture could not be taken over") {
      let picture = try clients[painter].thumbnail(of: original, ThumbnailRequest(width: pixels, height: pixels)) {
        transfer.isWanted
      }
      return try SealedCopy.adopting(picture.descriptor.duplicate(), limitBytes: 64 << 20)
    }
  }

  func preview(_ original: borrowing FileDescriptor, _ transfer: Transfer) throws(MediaFailure) -> SealedCopy {
    // A preview has a process of its own, so that thumbnails do not wait for it and no process
    // idles between two videos.
    let worker = makeWorker()
    defer { worker.stop() }
    return try Self.answer(orElse: "The preview could not be taken over") {
      let film = try worker.preview(of: original) { transfer.isWanted }
      return try SealedCopy.adopting(film.descriptor.duplicate(), limitBytes: 64 << 20)
    }
  }

  func stop() { for client in clients { client.stop() } }
}

extension MediaFailure {
  init(_ error: MediaError) {
    switch error.code {
    case .unavailable, .busy, .stopped: self.init(code: .unavailable, message: error.message)
    case .poison, .refused, .invalidRequest: self.init(code: .unusable, message: error.message, isLate: error.isLate)
    }
  }
}

extension ItemFacts {
  init(_ facts: MediaFacts) {
    self.init(mediaType: facts.mediaType, contentType: facts.mimeType ?? "application/octet-stream")
    subtypes = facts.subtypes
    // A Live Photo needs both halves. The still alone only names the video that would belong to it.
    subtypes.remove(.livePhoto)
    if facts.burstIdentifier != nil { subtypes.insert(.burst) }
    if facts.problems.contains(.truncated) { subtypes.insert(.incomplete) }
    width = UInt32(clamping: facts.size?.width ?? 0)
    height = UInt32(clamping: facts.size?.height ?? 0)
    durationMilliseconds =
      facts.duration.map {
        UInt32(clamping: $0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000)
      } ?? 0
    if let date = facts.date {
      let local = date.localTimestamp.microseconds
      let seconds = local >= 0 ? local / 1_000_000 : (local - 999_999) / 1_000_000
      capture = Capture(
        localSeconds: seconds, microseconds: Int32(local - seconds * 1_000_000),
        offsetMinutes: date.offsetMinutes.map { Int32($0) },
        origin: date.origin, isLocal: date.offsetSource != .utc)
    }
    location = facts.location
    camera = [facts.make, facts.model].compactMap { $0 }.joined(separator: " ")
    caption = facts.caption ?? facts.title
    livePhotoIdentifier = facts.liveIdentifier
    burstIdentifier = facts.burstIdentifier
    isFavourite = facts.rating == 5
    own = PictureFacts(digest: facts.picture, captured: facts.own.date, camera: facts.own.camera)
    isSidecarDamaged = facts.problems.contains(.sidecarDamaged)
    version = MediaFacts.version
  }
}
