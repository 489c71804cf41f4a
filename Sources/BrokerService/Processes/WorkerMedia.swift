import Delivery
import Indexer
import MediaClient
import PhotoModel
import UnixSocket

/// The media worker of one library.
final class WorkerMedia: LibraryMedia {
  private let client: MediaClient

  init(_ client: MediaClient) { self.client = client }

  var unavailable: String? { client.absence.map(\.message) }

  func facts(_ original: SealedCopy, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> ItemFacts {
    let ending = name.split(separator: ".").last.map(String.init) ?? ""
    let facts: MediaFacts
    do {
      facts =
        if let sidecar {
          try client.facts(of: original.descriptor, nameExtension: ending, sidecar: try sidecar.descriptor.duplicate())
        } else {
          try client.facts(of: original.descriptor, nameExtension: ending)
        }
    } catch let error as MediaError {
      throw MediaFailure(error)
    } catch {
      throw MediaFailure(code: .unavailable, message: "No descriptor is left.")
    }
    // A file that is half there or not what its name says would be shown and handed on as something else than it is.
    if let problem = [MediaProblem.unreadable, .truncated, .mislabelled].first(where: facts.problems.contains) {
      throw MediaFailure(code: .unusable, message: problem.explanation)
    }
    guard facts.mediaType != .unknown else { throw MediaFailure(code: .unusable, message: "it is neither a photo nor a video") }
    return ItemFacts(facts)
  }

  func thumbnail(_ original: SealedCopy, name: String, pixels: Int) throws(MediaFailure) -> SealedCopy {
    do {
      let picture = try client.thumbnail(of: original.descriptor, ThumbnailRequest(width: pixels, height: pixels))
      return try SealedCopy.adopting(picture.descriptor.duplicate(), limitBytes: 64 << 20)
    } catch let error as MediaError {
      throw MediaFailure(error)
    } catch {
      throw MediaFailure(code: .unavailable, message: "The picture could not be taken over: \(error)")
    }
  }

  func stop() { client.stop() }
}

extension MediaFailure {
  init(_ error: MediaError) {
    switch error.code {
    case .unavailable, .busy, .stopped: self.init(code: .unavailable, message: error.message)
    case .poison, .refused, .invalidRequest: self.init(code: .unusable, message: error.message)
    }
  }
}

extension ItemFacts {
  init(_ facts: MediaFacts) {
    self.init(mediaType: facts.mediaType, contentType: facts.mimeType ?? "application/octet-stream")
    subtypes = facts.subtypes
    // A Live Photo is one when both halves are there; the still alone only says which video it would belong to.
    subtypes.remove(.livePhoto)
    if facts.burstIdentifier != nil { subtypes.insert(.burst) }
    width = UInt32(clamping: facts.size?.width ?? 0)
    height = UInt32(clamping: facts.size?.height ?? 0)
    durationMilliseconds =
      facts.duration.map { UInt32(clamping: $0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000) } ?? 0
    if let date = facts.date {
      let local = date.localTimestamp.microseconds
      let seconds = local >= 0 ? local / 1_000_000 : (local - 999_999) / 1_000_000
      capture = Capture(
        localSeconds: seconds, microseconds: Int32(local - seconds * 1_000_000), offsetMinutes: date.offsetMinutes.map { Int32($0) },
        origin: date.origin)
    }
    location = facts.location
    camera = [facts.make, facts.model].compactMap { $0 }.joined(separator: " ")
    caption = facts.caption ?? facts.title
    livePhotoIdentifier = facts.liveIdentifier
    burstIdentifier = facts.burstIdentifier
    isFavourite = facts.rating == 5
  }
}
