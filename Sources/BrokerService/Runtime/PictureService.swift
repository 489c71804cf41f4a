import Broker
import Catalogue
import Delivery
import EventLoop
import Limits
import PhotoModel
import UnixSocket

/// Pictures and video previews of one library.
final class PictureService: LibraryService {
  /// A transfer for an owner who waits for it.
  private struct Arrival {
    let transfer: Transfer
    let size: Int64
  }

  private let bytes: ByteService
  let context: LibraryContext
  private let opened: OpenedStorage
  /// Running transfers for owners.
  private var arrivals: [AssetNumber: [Arrival]] = [:]

  init(_ context: LibraryContext, bytes: ByteService, opened: OpenedStorage) {
    self.context = context
    self.bytes = bytes
    self.opened = opened
  }

  /// A picture of a resource. It is neither made nor fetched if the reader stops waiting.
  func thumbnail(
    of resource: ResourceRecord, asset: AssetNumber, pixels: Int, for reader: ByteRecipient,
    _ completion: @escaping Completion<SealedCopy>
  ) {
    make(
      Picture(what: "picture", version: "thumbnail \(pixels)"), of: resource, asset, for: reader, on: nil, completion
    ) {
      (media, descriptor, transfer) throws(MediaFailure) in try media.thumbnail(descriptor, pixels: pixels, transfer)
    }
  }

  /// The beginning of a video, cached with the owner's pictures. It has a thread and a process of
  /// its own, so that no picture waits for it.
  func preview(
    of resource: ResourceRecord, asset: AssetNumber, for reader: ByteRecipient,
    _ completion: @escaping Completion<SealedCopy>
  ) {
    make(Picture(what: "preview", version: "preview"), of: resource, asset, for: reader, on: .show, completion) {
      (media, descriptor, transfer) throws(MediaFailure) in try media.preview(descriptor, transfer)
    }
  }

  /// Progress of an asset's transfer for its owner; nil if there is none. Several pictures of one
  /// asset share one transfer.
  func arrival(of asset: AssetNumber) -> (received: Int, size: Int64)? {
    guard let all = arrivals[asset], let first = all.first else { return nil }
    return (all.map(\.transfer.count).max() ?? 0, first.size)
  }

  /// Begins a job whose progress the owner sees.
  private func show(_ resource: ResourceRecord, _ asset: AssetNumber, for reader: ByteRecipient) -> RenditionJob {
    let job = bytes.begin(
      resource, asset, for: reader, takesLong: true,
      didEnd: { [self] transfer in
        arrivals[asset]?.removeAll { $0.transfer === transfer }
        if arrivals[asset]?.isEmpty ?? false { arrivals[asset] = nil }
      })
    arrivals[asset, default: []].append(Arrival(transfer: job.transfer, size: resource.size))
    return job
  }

  /// The picture's name in messages, and its part of the cache key.
  private struct Picture {
    let what: String
    let version: String
  }

  private typealias Maker =
    @Sendable (any LibraryMedia, borrowing FileDescriptor, Transfer) throws(MediaFailure) -> SealedCopy

  private func make(
    _ picture: Picture, of resource: ResourceRecord, _ asset: AssetNumber, for reader: ByteRecipient,
    on kind: LibraryWorkers.Kind?,
    _ completion: @escaping Completion<SealedCopy>, _ maker: @escaping Maker
  ) {
    guard let files = opened.files else { return completion(.failure(.offline)) }
    if let missing = opened.media.unavailable {
      return completion(.failure(.photos(.requestNotSupportedForAsset, "No \(picture.what) can be made: \(missing)")))
    }
    if let damage = bytes.damage(of: resource) { return completion(.failure(damage)) }
    // Pictures have none of a file's metadata, so they are made of the whole file.
    let source = LibraryFiles.Key(
      app: reader.app, asset: asset, locator: resource.locator, contentVersion: resource.contentVersion)
    let version = "\(source.contentVersion) \(picture.version)"
    let key = LibraryFiles.Key(app: reader.app, asset: asset, locator: source.locator, contentVersion: version)
    if let kept = files.cache.kept(key) { return completion(.success(kept)) }
    let (media, painting) = (opened.media, AllowanceOfUser(shares.painting, user: reader.user))
    let job =
      reader.app == ByteRecipient.owner
      ? show(resource, asset, for: reader) : bytes.begin(resource, asset, for: reader, takesLong: true)
    let (transfer, completion) = (job.transfer, workers.answered(completion))
    let body = { @Sendable () -> Result<SealedCopy, PictureFailure> in
      Result { () throws(PictureFailure) in
        var failure: MediaFailure?
        do throws(DeliveryError) {
          return try files.make(key, in: files.cache, transfer) { () throws(DeliveryError) in
            try files.withDescriptor(of: source, resource, transfer) { descriptor throws(DeliveryError) in
              let turn = try painting.wait(for: 1) { () throws(DeliveryError) in
                if !transfer.isWanted { throw .readerGone }
              }
              defer { turn.end() }
              do throws(MediaFailure) { return try maker(media, descriptor, transfer) } catch {
                // This transfer was cancelled. Another waiter makes the same picture itself.
                guard transfer.isWanted else { throw .readerGone }
                failure = error
                throw .timedOut
              }
            }
          }
        } catch { throw failure.map { .media($0) } ?? .delivery(error) }
      }
    }
    let then = { [self] (result: Result<SealedCopy, PictureFailure>) in
      job.end()
      if case .failure(.delivery(let error)) = result {
        bytes.lookIfChanged(resource, Result<Void, DeliveryError>.failure(error))
      }
      completion(result.mapError { $0.told(picture.what) })
    }
    guard let kind else { return bytes.work(on: resource, for: reader, job, body, then: then) }
    let copied = files.isReadInParts(resource.size) ? 0 : resource.size
    bytes.withMemory(for: copied, of: reader.user, isWanted: { transfer.isWanted }) { [self] memory in
      workers.run(kind, body) { result in
        memory?.end()
        then(result)
      }
    }
  }

  private enum PictureFailure: Error {
    case delivery(DeliveryError)
    case media(MediaFailure)

    func told(_ what: String) -> BrokerError {
      switch self {
      case .delivery(let error) where error.code == .tooLarge:
        .photos(
          .requestNotSupportedForAsset,
          "No \(what) can be made: the file is on a remote storage, and too large to be fetched for that.")
      case .delivery(let error): BrokerError(delivery: error)
      case .media(let error) where error.code == .unavailable:
        .photos(.internalError, "No \(what) can be made right now: \(error.message); ask again in a moment.")
      case .media(let error):
        .photos(.requestNotSupportedForAsset, "No \(what) can be made of this asset: \(error.message)")
      }
    }
  }
}

extension LibraryFiles {
  /// Lends a file to be decoded: in place if it is local and too large to be copied, else as a
  /// copy.
  fileprivate func withDescriptor(
    of key: Key, _ resource: ResourceRecord, _ transfer: Transfer,
    _ body: (borrowing FileDescriptor) throws(DeliveryError) -> SealedCopy
  ) throws(DeliveryError) -> SealedCopy {
    if isReadInParts(resource.size),
      let file = try source.openInPlace(key.locator, contentVersion: key.contentVersion, size: resource.size)
    {
      return try file.lend(body)
    }
    guard resource.size <= ServiceLimits.openedBytes else { throw .tooLarge }
    return try body(try copy(key, size: resource.size, digest: resource.digest, transfer).descriptor)
  }
}
