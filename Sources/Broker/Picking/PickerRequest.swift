package import Catalogue
import Limits
package import PhotoModel

/// An app's options for a picker.
package struct PickerConfiguration: Sendable {
  /// 0: any number.
  package var selectionLimit: Int
  /// Empty: all.
  package var mediaTypes: Set<MediaType>
  package var isOrdered: Bool
  package var givesIdentifiers: Bool
  /// The app's identifiers.
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

  /// The largest number of assets that may be picked.
  package var most: Int { selectionLimit == 0 ? BrokerLimits.picked : selectionLimit }

  package var isMultiple: Bool { selectionLimit != 1 }

  /// - Throws: `changeNotSupported` for contradictory options.
  func check() throws(BrokerError) {
    guard isMultiple || !isOrdered else {
      throw .refused("An ordered selection needs a picker for several: give a selectionLimit other than 1.")
    }
    guard preselected.isEmpty || isMultiple && givesIdentifiers else {
      throw .refused(
        "Preselection needs identifiers and a picker for several: ask for identifiers, with a selectionLimit other "
          + "than 1.")
    }
    // Counts deleted assets too, so that the result does not reveal which exist.
    guard selectionLimit == 0 || preselected.count <= selectionLimit else {
      throw .refused(
        "More assets are preselected than the selectionLimit of \(selectionLimit) allows: name fewer, "
          + "or raise the limit.")
    }
  }
}

/// A picker that waits for a person.
package final class PickerRequest: WaitingRequest {
  package let identifier: AppIdentifier
  package let app: App
  package let library: LibraryState
  package let configuration: PickerConfiguration
  package let asked: Timestamp
  /// Preselected assets that exist, each with the app's identifier.
  package let preselected: [(given: AssetIdentifier, number: AssetNumber)]
  /// Identifiers from before the app changed its name, the latest last.
  let former: [AppIdentifier]
  /// The app's name as the picker shows it.
  let displayName: String
  /// The library's default terms when it was opened, which the picker shows.
  let defaultTerms: GrantTerms
  let session: Session
  let completion: Completion<PickerOutcome>

  init(
    identifier: AppIdentifier, app: App, library: LibraryState, configuration: PickerConfiguration, asked: Timestamp,
    preselected: [(given: AssetIdentifier, number: AssetNumber)], former: [AppIdentifier] = [], session: Session,
    completion: @escaping Completion<PickerOutcome>
  ) {
    self.identifier = identifier
    self.app = app
    self.library = library
    self.configuration = configuration
    self.asked = asked
    self.preselected = preselected
    self.former = former
    displayName = app.record.manifest.displayName
    defaultTerms = library.record.defaultTerms
    self.session = session
    self.completion = completion
  }

  /// Its token may have ended.
  package var mayStayOpen: Bool { session.mayOpenPicker(of: library) }

  func renewed(as identifier: AppIdentifier) -> PickerRequest {
    PickerRequest(
      identifier: identifier, app: app, library: library, configuration: configuration, asked: asked,
      preselected: preselected,
      former: former + [self.identifier], session: session, completion: completion)
  }
}

/// A person's answer to a picker.
package struct PickerOutcome {
  /// One result: preselected assets have an identifier and no item (R86), new ones have an item
  /// (R87).
  package struct Picked {
    package var item: AppIdentifier?
    package var identifier: AssetIdentifier?
    package var row: AssetRow?
  }

  package var picked: [Picked]
  package var isCancelled: Bool
  /// The end of the time for loading; nil if there is nothing to load.
  package var expires: Timestamp?
  /// The permit for the answer; nil if there is nothing to load.
  package var permit: Permit?
}
