/// The media types that a person can pick.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerfilter
public struct PickerFilter: Hashable, Sendable {
  let mediaTypes: Set<MediaType>

  /// Pictures.
  public static let images = PickerFilter(mediaTypes: [.image])
  /// Videos.
  public static let videos = PickerFilter(mediaTypes: [.video])

  /// Combines filters: the result accepts every photo that one of them accepts.
  public static func any(of filters: [PickerFilter]) -> PickerFilter {
    PickerFilter(mediaTypes: filters.reduce(into: []) { $0.formUnion($1.mediaTypes) })
  }
}
