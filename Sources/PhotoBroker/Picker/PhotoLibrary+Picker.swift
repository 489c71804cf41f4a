import BrokerInterface

extension PhotoLibrary {
  /// Opens a picker and waits until the person is done. It needs no authorization, asks for none,
  /// and changes none: the app receives what was picked, nothing else.
  ///
  /// - Throws: ``PhotosError`` for a configuration that contradicts itself, or where another picker
  ///   of this process is open; ``PhotoLibraryError``; `CancellationError`, which closes the
  ///   picker.
  public func presentPicker(_ configuration: PickerConfiguration = PickerConfiguration()) async throws
    -> PickerSelection
  {
    let parameters = Picker.Present.Parameters(
      library: name, identifiers: configuration.givesIdentifiers, selectionLimit: Int64(configuration.selectionLimit),
      mediaTypes: configuration.filter.map { $0.mediaTypes.map(\.rawValue).sorted() },
      ordered: configuration.selection == .ordered,
      preselected: configuration.preselectedAssetIdentifiers.isEmpty ? nil : configuration.preselectedAssetIdentifiers)
    // What is picked can be loaded on the connection that it was picked on: the items keep it.
    let line = makeLine()
    let reply = try await line.performUntilCancelled { try $0.call(Picker.Present.self, parameters) }
    return PickerSelection(
      results: reply.results.map { result in
        PickerResult(
          assetIdentifier: result.localIdentifier,
          item: result.item.map { PickerItem($0, result, expires: reply.expires, on: line) })
      }, isCancelled: reply.cancelled)
  }
}
