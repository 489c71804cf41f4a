import Broker
import Catalogue
import Delivery
import EventLoop
import PhotoModel

/// Videos that an owner looks at: made on a thread and by a process of their own, so that no picture waits for them.
extension LibraryRuntime {
  /// The beginning of a video, kept beside the owner's pictures.
  ///
  /// - Parameter isWanted: As for ``thumbnail(of:asset:pixels:for:isWanted:_:)``.
  func preview(
    of resource: ResourceRecord, asset: AssetNumber, isWanted: @escaping () -> Bool,
    _ completion: @escaping (Result<SealedCopy, BrokerError>) -> Void
  ) {
    guard let files else { return completion(.failure(.offline)) }
    if let missing = media.unavailable {
      return completion(.failure(.photos(.requestNotSupportedForAsset, "No preview can be made: \(missing)")))
    }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    let source = LibraryFiles.key(AppIdentifier(high: 0, low: 0), asset, resource)
    let key = LibraryFiles.Key(
      app: source.app, asset: asset, locator: source.locator, contentVersion: source.contentVersion + " preview")
    if let kept = files.cache.kept(key) { return completion(.success(kept)) }
    if previews == nil { previews = try? Worker(name: "show") }
    let media = media
    let transfer = Transfer()
    let end = show(transfer, of: asset, resource, unless: isWanted)
    work(previews) { () -> Result<SealedCopy, PictureFailure> in
      Result { () throws(PictureFailure) in
        guard transfer.isWanted else { throw .delivery(.timedOut) }
        var failure: MediaFailure?
        do throws(DeliveryError) {
          return try files.cache.copy(for: key) { () throws(DeliveryError) in
            let original = try files.copy(source, digest: resource.digest) { transfer.note($0) }
            do throws(MediaFailure) { return try media.preview(original) } catch {
              failure = error
              throw .timedOut
            }
          }
        } catch {
          if let failure { throw .media(failure) }
          throw .delivery(error)
        }
      }
    } then: { result in
      end()
      completion(result.mapError { $0.told("preview") })
    }
  }
}
