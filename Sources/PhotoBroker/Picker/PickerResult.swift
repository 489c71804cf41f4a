/// One selected photo at the time a picker closes.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerresult
public struct PickerResult: Sendable {
  /// The asset's identifier; nil unless the configuration asks for identifiers.
  public let assetIdentifier: String?
  /// The picked photo; nil for a preselected one, which the app has already.
  public let item: PickerItem?
}

/// The selection at the time a picker closes.
public struct PickerSelection: Sendable {
  /// The results: preselected ones first, in their order, then new ones.
  public let results: [PickerResult]
  /// Whether the person cancelled. The results are then the preselected ones.
  public let isCancelled: Bool
  /// The facts that the new results lack, in the words of ``FetchResult/withheld``. With `files`,
  /// each is a picture of its photo or video in JPEG, and no file.
  public let withheld: Set<String>
}

extension Collection where Element == PickerResult {
  /// Returns these results, with the items of an earlier picker for those that carry none. An app
  /// calls it after each picker.
  ///
  /// A result without an item is replaced by the earlier result with the same identifier, if there
  /// is one. The order is that of these results, and deselected photos are absent.
  /// - Parameter earlier: the results that the app kept before.
  public func merging(_ earlier: some Sequence<PickerResult>) -> [PickerResult] {
    let known = Dictionary(
      earlier.compactMap { result in result.assetIdentifier.map { ($0, result) } },
      uniquingKeysWith: { first, _ in first })
    return map { result in
      guard result.item == nil, let identifier = result.assetIdentifier else { return result }
      return known[identifier] ?? result
    }
  }
}
