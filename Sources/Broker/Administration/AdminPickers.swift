import Catalogue
package import PhotoModel

/// The pickers that wait for the caller, and the apps that picked.
package struct AdminPickers: AdminPart {
  let caller: AdminSession

  package var waiting: [PickerRequest] { caller.waiting(among: broker.pickers.waiting) }

  /// The terms of a pick whose answer names none.
  package func terms(of request: PickerRequest) -> GrantTerms { broker.pickerService.terms(of: request) }

  /// Answers a picker with assets in the order of picking, by the owner's identifiers; nil:
  /// cancelled.
  ///
  /// - Parameter terms: what leaves with the photos; only ``GrantTerms/Choice/isOfPick``.
  /// - Returns: the number of items that the app got.
  /// - Throws: `notFound` for another owner's picker or a missing asset; `refused`.
  package func answer(
    _ identifier: AppIdentifier, assets: [AssetIdentifier]?, again: [AssetIdentifier],
    terms: GrantTerms.Choice = .init()
  ) throws(BrokerError) -> Int {
    guard !waiting.contains(where: { $0.former.contains(identifier) }) else { throw .wordsChanged() }
    guard let request = waiting.first(where: { $0.identifier == identifier }) else { throw .unknownPicker() }
    guard terms.isOfPick else {
      throw .refused("A pick changes nothing, so its terms are location, captions, files and pixels alone.")
    }
    func row(_ asset: AssetIdentifier) throws(BrokerError) -> AssetRow {
      guard let position = request.library.catalogue.position(of: asset) else {
        throw .notFound("asset", "The library has no such asset; list its assets.")
      }
      return request.library.catalogue.row(position)
    }
    var chosen: [AssetRow]?
    if let assets { chosen = try assets.map { asset throws(BrokerError) in try row(asset) } }
    let anew = Set(try again.map { asset throws(BrokerError) in try row(asset).number })
    let items = try broker.pickerService.answer(
      request, chosen: chosen, again: anew, terms, by: caller.decider(in: request.library, source: .prompt))
    _ = broker.pickers.remove(identifier)
    broker.delegate?.promptsChanged(owners: request.library.owners)
    return items
  }

  /// Apps that picked from a library without ever getting access to it, the latest first (R93,
  /// R94), or one given app.
  /// - Parameter everyone: whether to include apps that got access.
  /// - Throws: `notFound`.
  package func apps(
    of name: LibraryName, app only: AppIdentifier? = nil, everyone: Bool = false
  ) throws(BrokerError) -> [PickerApp] {
    let library = try caller.library(name)
    if let only { _ = try caller.app(only) }
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
  package static func unknownPicker() -> Self {
    .notFound("picker", "No such picker waits for you: it was answered or withdrawn. List the pickers that wait.")
  }
}
