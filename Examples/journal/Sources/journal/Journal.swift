import Foundation
import PhotoBroker

/// A photo journal: the photos that a person lets it see, day by day.
struct Journal {
  let library: PhotoLibrary
  /// File for the last change token, so that no change is missed between two runs.
  let bookmark: URL

  /// Requests access. A person is asked if nobody has decided yet.
  ///
  /// - Throws: ``JournalProblem`` if there is no access.
  @discardableResult func authorize() async throws -> AuthorizationStatus {
    let status = try await library.requestAuthorization(for: .readWrite)
    guard status.grantsAccess else { throw JournalProblem("no access: \(status)") }
    return status
  }

  /// Prints the photos by day, newest first.
  func list() async throws {
    let status = try await authorize()
    let assets = try await Asset.fetchAssets(in: library)
    say("\(assets.count) photos, access is \(status)")
    var day = ""
    for try await asset in assets {
      let date = asset.creationDate.map(Self.day) ?? "no date"
      if date != day { say(date) }
      day = date
      say("  \(Self.line(asset))")
    }
    if status == .limited { say("`journal choose` changes what is here") }
  }

  func choose() async throws {
    do {
      let added = try await library.presentLimitedLibraryPicker()
      say("\(added.count) added")
      for try await asset in try await Asset.fetchAssets(withLocalIdentifiers: added, in: library) {
        say("  \(Self.line(asset))")
      }
    } catch let error as PhotoLibraryError {
      guard case .notLimited(let status) = error.code else { throw error }
      say("nothing to choose: access is \(status)")
    }
  }

  /// Prints changes until access ends.
  func watch() async throws {
    let token = try? String(contentsOf: bookmark, encoding: .utf8)
    do {
      for try await change in library.changes(since: token) {
        guard change.hasAccess else { return say("access ended") }
        tell(change)
        try keep(change.changeToken)
      }
    } catch let error as PhotosError where error.code == .accessUserDenied || error.code == .accessRestricted {
      say("access ended")
    }
  }

  func tell(_ change: LibraryChange) {
    if change.mustResynchronize { say(Self.muchHasChanged) }
    for asset in change.insertedObjects { say("+ \(Self.line(asset))") }
    for asset in change.changedObjects { say("~ \(Self.line(asset))") }
    for identifier in change.removedIdentifiers { say("- \(identifier)") }
  }

  static let muchHasChanged = "much has changed: `journal` shows it"

  /// Saves the change token for the next run.
  func keep(_ changeToken: String) throws {
    try FileManager.default.createDirectory(at: bookmark.deletingLastPathComponent(), withIntermediateDirectories: true)
    try changeToken.write(to: bookmark, atomically: true, encoding: .utf8)
  }

  /// Prints one photo in full, and writes its bytes to `file` if given.
  func show(_ identifier: String, into file: String?) async throws {
    let asset = try await find(identifier)
    say(Self.line(asset))
    if let place = asset.location { say("  at \(place.latitude), \(place.longitude)") }
    for resource in try await AssetResource.assetResources(for: asset, in: library) {
      say("  \(resource.originalFilename): \(resource.contentType), \(resource.size) bytes")
    }
    let bytes = try await ImageManager(library: library).requestData(for: asset)
    say("  read \(bytes.count) bytes")
    if let file { try bytes.write(to: URL(fileURLWithPath: file)) }
  }

  /// Saves the journal to a file that can be opened on another machine.
  func save(to file: String) async throws {
    var entries: [Entry] = []
    var names: [String: String] = [:]
    for try await asset in try await Asset.fetchAssets(in: library) { names[asset.localIdentifier] = asset.filename }
    for (identifier, mapping) in try await library.cloudIdentifierMappings(forLocalIdentifiers: Array(names.keys)) {
      if case .success(let cloud) = mapping {
        entries.append(Entry(photo: cloud.stringValue, title: names[identifier] ?? ""))
      }
    }
    entries.sort { $0.title < $1.title }
    try JSONEncoder().encode(entries).write(to: URL(fileURLWithPath: file))
    say("\(entries.count) photos saved")
  }

  /// Opens a saved journal: with visible photos, placeholders for missing ones, and a choice if
  /// several match.
  func open(_ file: String) async throws {
    let entries = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    let mappings = try await library.localIdentifierMappings(
      for: entries.map { CloudIdentifier(stringValue: $0.photo) })
    for entry in entries {
      switch mappings[CloudIdentifier(stringValue: entry.photo)] {
      case .success(let identifier): say("  \(identifier) \(entry.title)")
      case .failure(let error) where error.code == .multipleIdentifiersFound:
        say("  which one is \(entry.title)?")
        for try await asset in try await Asset.fetchAssets(withLocalIdentifiers: error.localIdentifiers, in: library) {
          say("    \(Self.line(asset))")
        }
      case .failure, nil: say("  (not here) \(entry.title)")
      }
    }
  }

  /// One photo in a saved journal.
  private struct Entry: Codable {
    /// The cloud identifier, equal on every machine.
    var photo: String
    var title: String
  }

  static func line(_ asset: Asset) -> String {
    "\(asset.localIdentifier) \(asset.filename) \(asset.pixelWidth)x\(asset.pixelHeight)\(asset.isFavorite ? " *" : "")"
  }

  private static func day(_ date: Date) -> String {
    String(ISO8601DateFormatter().string(from: date).prefix(10))
  }
}
