package import Catalogue
import Limits
package import PhotoModel

/// How an app wants its picker.
package struct PickerConfiguration: Sendable {
  /// 0: any number.
  package var selectionLimit: Int
  /// Empty: all.
  package var mediaTypes: Set<MediaType>
  package var isOrdered: Bool
  package var givesIdentifiers: Bool
  /// As the app knows them.
  package var preselected: [AssetIdentifier]

  package init(
    selectionLimit: Int, mediaTypes: Set<MediaType>, isOrdered: Bool, givesIdentifiers: Bool,
    preselected: [AssetIdentifier]
  ) {
    self.selectionLimit = selectionLimit
    self.mediaTypes = mediaTypes
    self.isOrdered = isOrdered
    self.givesIdentifiers = givesIdentifiers
    self.preselected = preselected
  }

  /// How many may be picked at most.
  package var most: Int { selectionLimit == 0 ? BrokerLimits.picked : selectionLimit }

  package var isMultiple: Bool { selectionLimit != 1 }
}

/// A picker that waits for a person.
package final class PickerRequest {
  package let identifier: AppIdentifier
  package let app: App
  package let library: LibraryState
  package let configuration: PickerConfiguration
  package let opened: Timestamp
  /// Preselected assets as far as they are there, each with what the app calls it.
  package let preselected: [(given: AssetIdentifier, number: AssetNumber)]
  /// What it was called before the app changed its name, the latest last.
  let former: [AppIdentifier]
  /// The app's own words that it shows.
  let displayName: String
  let session: Session
  let completion: (Result<PickerOutcome, BrokerError>) -> Void

  init(
    identifier: AppIdentifier, app: App, library: LibraryState, configuration: PickerConfiguration, opened: Timestamp,
    preselected: [(given: AssetIdentifier, number: AssetNumber)], former: [AppIdentifier] = [], session: Session,
    completion: @escaping (Result<PickerOutcome, BrokerError>) -> Void
  ) {
    self.identifier = identifier
    self.app = app
    self.library = library
    self.configuration = configuration
    self.opened = opened
    self.preselected = preselected
    self.former = former
    displayName = app.record.manifest.displayName
    self.session = session
    self.completion = completion
  }

  /// Whether its connection might open it now: a token that it was opened under may have ended.
  var mayStayOpen: Bool { session.mayOpenPicker(of: library) }

  /// The same picker under the app's new name.
  func renewed(as identifier: AppIdentifier) -> PickerRequest {
    PickerRequest(
      identifier: identifier, app: app, library: library, configuration: configuration, opened: opened,
      preselected: preselected,
      former: former + [self.identifier], session: session, completion: completion)
  }
}

/// What a person did with a picker.
package struct PickerOutcome {
  /// One result: preselected ones carry an identifier and no item (R86), new ones an item (R87).
  package struct Picked {
    package var item: AppIdentifier?
    package var identifier: AssetIdentifier?
    package var row: AssetRow?
  }

  package var picked: [Picked]
  package var isCancelled: Bool
  /// When what was picked can be loaded no longer; nil where there is nothing to load.
  package var expires: Timestamp?
  /// Goes with the answer; nil where there is nothing to load.
  package var permit: Permit?
}
