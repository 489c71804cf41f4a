/// One thing that is selected when a picker closes.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerresult
public struct PickerResult: Sendable {
  /// The asset's identifier; nil where none were asked for.
  public let assetIdentifier: String?
  /// What was picked; nil where it was preselected, so that the app has it already.
  public let item: PickerItem?
}

/// What a person left selected.
public struct PickerSelection: Sendable {
  /// All of it: preselected ones first, in their order, then new ones.
  public let results: [PickerResult]
  /// The person cancelled: the results are just the preselected ones.
  public let isCancelled: Bool
}

extension Collection where Element == PickerResult {
  /// These results with the items that an earlier picker gave for those that carry none: what an
  /// app keeps after each picker.
  ///
  /// A result with an item stays as it is; one without takes the earlier one of its identifier, and
  /// stays without where there is none. The order is that of these results, so that what was
  /// deselected is gone.
  /// - Parameter earlier: what the app kept before.
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
