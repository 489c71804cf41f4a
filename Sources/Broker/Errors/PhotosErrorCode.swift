/// PhotoKit's errors with their numbers.
///
/// Source: https://developer.apple.com/documentation/photos/phphotoserror
package enum PhotosErrorCode: Int, Sendable, CaseIterable {
  case internalError = -1
  case userCancelled = 3072
  case persistentChangeTokenExpired = 3105
  case libraryVolumeOffline = 3114
  case networkAccessRequired = 3164
  case networkError = 3169
  case identifierNotFound = 3201
  case multipleIdentifiersFound = 3202
  case persistentChangeDetailsUnavailable = 3210
  case changeNotSupported = 3300
  case operationInterrupted = 3301
  case invalidResource = 3302
  case missingResource = 3303
  case notEnoughSpace = 3305
  case requestNotSupportedForAsset = 3306
  case limitExceeded = 3307
  case accessRestricted = 3310
  case accessUserDenied = 3311

  package var name: String { String(describing: self) }
}
