import Catalogue
package import PhotoModel

extension AdminSession {
  /// Pickers that wait for the caller, those for libraries of their own before those that they are
  /// co-owner of, and of each the longest waiting first. An administrator, who sees no photo, has
  /// none to answer.
  package var pickers: [PickerRequest] {
    func place(_ request: PickerRequest) -> (Int, Timestamp, AppIdentifier) {
      (request.library.record.owner == uid ? 0 : 1, request.opened, request.identifier)
    }
    return broker.pickers.waiting.filter { $0.library.isOwner(uid) && $0.mayStayOpen }.sorted { place($0) < place($1) }
  }

  /// Answers a picker with assets by their own identifiers, in the order of picking; nil: cancelled.
  ///
  /// - Returns: how many items the app got.
  /// - Throws: `notFound` for a picker that does not wait for the caller, or an asset that is not there; `refused`.
  package func answerPicker(
    _ identifier: AppIdentifier, assets: [AssetIdentifier]?, again: [AssetIdentifier]
  ) throws(BrokerError) -> Int {
    guard !pickers.contains(where: { $0.former.contains(identifier) }) else { throw .wordsChanged() }
    guard let request = pickers.first(where: { $0.identifier == identifier }) else { throw .unknownPicker() }
    func row(_ asset: AssetIdentifier) throws(BrokerError) -> AssetRow {
      guard let position = request.library.catalogue.position(of: asset) else {
        throw .notFound("asset", "The library has no such asset; list its assets.")
      }
      return request.library.catalogue.row(position)
    }
    var chosen: [AssetRow]?
    if let assets { chosen = try assets.map { asset throws(BrokerError) in try row(asset) } }
    let anew = Set(try again.map { asset throws(BrokerError) in try row(asset).number })
    let items = try broker.answer(
      request, chosen: chosen, again: anew, by: decider(in: request.library, source: .prompt))
    _ = broker.pickers.remove(identifier)
    broker.delegate?.promptsChanged(owners: request.library.owners)
    return items
  }

  /// Apps that picked from a library and were never given access to it, the latest first (R93,
  /// R94); or one app, whatever it was given.
  /// - Parameter everyone: Those too that were given access.
  /// - Throws: `notFound`.
  package func pickerApps(
    of name: LibraryName, app only: AppIdentifier? = nil, everyone: Bool = false
  ) throws(BrokerError) -> [PickerApp] {
    let library = try library(name)
    if let only { _ = try app(only) }
    return library.pickerUses.compactMap { identifier, uses in
      guard let app = broker.apps[identifier],
        only.map({ $0 == identifier }) ?? (everyone || !broker.tokens.wasEverGranted(name, identifier))
      else {
        return nil
      }
      let picks = broker.pickers.grants.filter {
        $0.record.key.library == name && $0.record.key.app == identifier && $0.isInForce(broker.environment)
      }
      let loadable = picks.reduce(into: library.catalogue.emptySelection()) {
        $0 = library.catalogue.union($0, $1.selection)
      }
      return PickerApp(
        app: app, uses: uses, loadable: library.catalogue.count(of: loadable),
        until: picks.compactMap(\.record.expires).max())
    }.sorted { ($1.uses.last, $0.app.record.identifier) < ($0.uses.last, $1.app.record.identifier) }
  }
}

extension BrokerError {
  static func unknownPicker() -> Self {
    .notFound("picker", "No such picker waits for you; it was answered or withdrawn. List the pickers.")
  }
}
