import Foundation
import PhotoBroker

extension Journal {
  func retitle(_ title: String, _ newTitle: String) async throws {
    let chapter = try await findChapter(title)
    try await library.performChanges { $0.setTitle(newTitle, of: chapter) }
    try await tellChapters()
  }

  /// Moves a photo before another one in its chapter, or to the end, and prints the chapters in
  /// their own order.
  func move(_ title: String, _ identifier: String, before other: String?) async throws {
    let chapter = try await findChapter(title)
    let asset = try await find(identifier)
    var member: Asset?
    if let other { member = try await find(other) }
    let next = member
    try await library.performChanges { $0.moveAssets([asset], in: chapter.localIdentifier, before: next) }
    var options = FetchOptions()
    (options.sortKey, options.isAscending) = (.album, true)
    try await tellChapters(options)
  }

  /// Removes a photo from a chapter; the journal keeps it.
  func tear(_ title: String, _ identifier: String) async throws {
    let chapter = try await findChapter(title)
    let asset = try await find(identifier)
    try await library.performChanges { $0.removeAssets([asset], from: chapter.localIdentifier) }
    try await tellChapters()
  }

  /// Deletes a chapter; the journal keeps its photos.
  func close(_ title: String) async throws {
    let chapter = try await findChapter(title)
    try await library.performChanges { $0.deleteAssetCollection(chapter) }
    try await tellChapters()
  }

  /// Sets a photo's time of capture, in seconds since 1970.
  func date(_ identifier: String, _ seconds: Double) async throws {
    let asset = try await find(identifier)
    try await library.performChanges {
      $0.setCreationDate(Date(timeIntervalSince1970: seconds), for: [asset], ifUnchanged: true)
    }
    say("date written")
  }

  /// Moves a photo to its owner's trash.
  func bin(_ identifier: String) async throws {
    let asset = try await find(identifier)
    try await library.performChanges { $0.deleteAssets([asset], ifUnchanged: true) }
    say("\(try await library.fetchVersions().versions.count) photos left")
  }

  /// Prints all chapters with their photos, by default newest first.
  func tellChapters(_ options: FetchOptions = FetchOptions()) async throws {
    for chapter in try await AssetCollection.fetchAssetCollections(in: library) {
      say("\(chapter.localizedTitle): \(chapter.estimatedAssetCount)\(chapter.canEdit ? "" : ", not mine")")
      for try await asset in try await Asset.fetchAssets(in: chapter, of: library, options: options) {
        say("  \(Self.line(asset))")
      }
    }
  }

  private func findChapter(_ title: String) async throws -> AssetCollection {
    let found = try await AssetCollection.fetchAssetCollections(in: library).first { $0.localizedTitle == title }
    guard let found else { throw JournalProblem("no such chapter") }
    return found
  }
}
