import BrokerInterface

extension PhotoLibrary {
  /// Opens a picker and waits until the person is done. It needs no authorization and changes none:
  /// the app receives the picked photos alone.
  ///
  /// - Throws: ``PhotosError`` for a contradictory configuration, or if another picker of this
  ///   process is open; ``PhotoLibraryError``; `CancellationError`, which closes the picker.
  public func presentPicker(_ configuration: PickerConfiguration = PickerConfiguration()) async throws
    -> PickerSelection
  {
    let parameters = Picker.Present.Parameters(
      library: name, identifiers: configuration.givesIdentifiers, selectionLimit: Int64(configuration.selectionLimit),
      mediaTypes: configuration.filter.map { $0.mediaTypes.map(\.rawValue).sorted() },
      ordered: configuration.selection == .ordered,
      preselected: configuration.preselectedAssetIdentifiers.isEmpty ? nil : configuration.preselectedAssetIdentifiers)
    // Picked items can only be loaded on the connection of their picker, so the items own it.
    let line = makeLine()
    let reply = try await line.performUntilCancelled { try $0.call(Picker.Present.self, parameters) }
    return PickerSelection(
      results: reply.results.map { result in
        PickerResult(
          assetIdentifier: result.localIdentifier,
          item: result.item.map { PickerItem($0, result, expires: reply.expires, on: line) })
      }, isCancelled: reply.cancelled, withheld: Set(reply.withheld ?? []))
  }
}
