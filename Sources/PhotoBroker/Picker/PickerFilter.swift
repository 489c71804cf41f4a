/// What a picker lets a person pick.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerfilter
public struct PickerFilter: Hashable, Sendable {
  let mediaTypes: Set<MediaType>

  /// Pictures.
  public static let images = PickerFilter(mediaTypes: [.image])
  /// Videos.
  public static let videos = PickerFilter(mediaTypes: [.video])

  /// Whatever one of these lets pass.
  public static func any(of filters: [PickerFilter]) -> PickerFilter {
    PickerFilter(mediaTypes: filters.reduce(into: []) { $0.formUnion($1.mediaTypes) })
  }
}
