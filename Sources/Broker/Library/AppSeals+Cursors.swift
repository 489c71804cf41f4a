package import Catalogue

extension AppSeals {
  /// Seals a cursor for these options.
  package func seal(_ position: CursorPosition, options: [UInt8]) throws(BrokerError) -> String {
    try seal(position.encode(), for: [UInt8]("cursor ".utf8) + options)
  }

  /// - Throws: `invalidCursor` for a cursor of other options or another app, or a damaged one.
  package func openCursor(_ text: String, options: [UInt8]) throws(BrokerError) -> CursorPosition {
    guard let bytes = open(text, for: [UInt8]("cursor ".utf8) + options),
      let position = try? CursorPosition(decoding: bytes)
    else { throw .invalidCursor("of these options") }
    return position
  }

  /// Seals a position in the app's list of albums.
  package func seal(_ position: AlbumPosition) throws(BrokerError) -> String {
    try seal(Array(position.text.utf8), for: Array("album cursor".utf8))
  }

  /// - Throws: `invalidCursor` for a cursor of another list or another app, or a damaged one.
  package func openAlbumCursor(_ text: String) throws(BrokerError) -> AlbumPosition {
    guard let bytes = open(text, for: Array("album cursor".utf8)),
      let position = String(validating: bytes, as: UTF8.self).flatMap(AlbumPosition.init)
    else { throw .invalidCursor("of a list of albums") }
    return position
  }
}

extension BrokerError {
  /// - Parameter list: the list to which the cursor does not belong.
  package static func invalidCursor(_ list: String) -> Self {
    Self(.invalidCursor, "it is no cursor \(list); leave it out to start again")
  }
}
