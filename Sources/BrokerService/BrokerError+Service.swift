import Broker
import Delivery
import Limits
import PhotoModel

extension BrokerError {
  static let offline = BrokerError.photos(
    .libraryVolumeOffline, "The library's storage is offline; try again when it is back.")
  static let libraryReplaced = BrokerError.photos(
    .internalError, "The library's setup changed, or it was removed, before the answer; ask again in a moment.")
  static let tooLargeToOpen = BrokerError.photos(
    .requestNotSupportedForAsset,
    "The resource has more than \(ServiceLimits.openedBytes) bytes, the most that is handed over as a descriptor; read "
      + "it in pieces with ReadBytes or ReadItem, or stream it with StreamResource.")
  static let ledgerUnavailable = BrokerError.photos(
    .internalError,
    "Nothing was delivered, because the disclosure cannot be recorded; free space on the broker's disk.")

  static func libraryNotFound() -> Self {
    photos(
      .identifierNotFound, "No library of that name is offered to this user; ListLibraries answers those that are.")
  }

  /// The error for a file in which withheld facts cannot be overwritten for certain.
  static let notCleaned = photos(
    .requestNotSupportedForAsset,
    "This file cannot be delivered without the facts that its owner withholds; GetThumbnail gives its picture, and so "
      + "does a pick of pictures.")

  var isNotCleaned: Bool { (code, message) == (Self.notCleaned.code, Self.notCleaned.message) }

  /// The error that an app gets for a file it handed over.
  init(incoming error: DeliveryError) {
    switch error.code {
    case .noSpace: self = .photos(.notEnoughSpace, "The broker has no room for this file; try again in a moment.")
    case .noMemory: self = .comingTooMuch
    case .tooLarge:
      self = .photos(
        .limitExceeded, "An added file has at most \(ServiceLimits.addedAssetBytes) bytes; add a smaller one.")
    default: self = .photos(.invalidResource, error.message)
    }
  }

  /// The error that an app gets for an unreadable file. It never says where the file lies.
  init(delivery error: DeliveryError) {
    switch error.code {
    case .noSpace: self = .photos(.notEnoughSpace, "The broker has no room to copy this; try again in a moment.")
    case .unreachable, .timedOut, .sourceFailed:
      self = .photos(.networkError, "The library's storage does not deliver now; try again later.")
    case .tooLarge:
      self = .tooLargeToOpen
    case .notCleaned: self = .notCleaned
    case .readerGone:
      self = .photos(.operationInterrupted, "Reading stopped, because access changed; ask again.")
    default: self = .photos(.missingResource, "The resource cannot be read now; fetch the asset again.")
    }
  }

  init(storage error: StorageFailure) {
    switch error.code {
    case .offline: self = .offline
    case .noSpace:
      self = .photos(.notEnoughSpace, "The library's storage is full; make room there and add the file again.")
    case .readOnly:
      self = .takesNoAdditions()
    default: self = .photos(.internalError, error.message)
    }
  }
}

extension BrokerError.Code {
  /// The code's name in the log. It holds nothing that a client or a plugin said.
  var name: String {
    switch self {
    case .photos(let code): code.name
    case .usageDescriptionMissing: "usageDescriptionMissing"
    case .promptNeeded: "promptNeeded"
    case .promptPending: "promptPending"
    case .nobodyToAsk: "nobodyToAsk"
    case .tokenRequired: "tokenRequired"
    case .tokenRefused: "tokenRefused"
    case .notLimited: "notLimited"
    case .notFound: "notFound"
    case .notPermitted: "notPermitted"
    case .invalidCursor: "invalidCursor"
    case .refused: "refused"
    case .failed: "failed"
    }
  }
}
