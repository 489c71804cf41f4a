import Foundation
import PhotoBroker

extension Journal {
  /// One photo's bytes through a pipe, with the progress.
  func copy(_ identifier: String, into file: String) async throws {
    guard let asset = try await find(identifier) else { return say("no such photo") }
    let steps = Steps()
    let bytes = try await ImageManager(library: library).requestData(for: asset) { steps.add($0) }
    try bytes.write(to: URL(fileURLWithPath: file))
    say("  copied \(bytes.count) bytes, \(steps.areInOrder ? "in order" : "out of order"), to \(Int(steps.last * 100)) %")
  }

  /// Writes a text under a photo, after it was checked that this may be done.
  func caption(_ identifier: String, _ text: String) async throws {
    guard let asset = try await find(identifier) else { return say("no such photo") }
    do {
      try await library.checkChanges { $0.setCaption(text, for: [asset], ifUnchanged: true) }
    } catch let error as PhotosError {
      return say("not possible: \(error.code)")
    }
    try await library.performChanges { $0.setCaption(text, for: [asset], ifUnchanged: true) }
    say("caption written")
  }

  /// What happened since this was called last.
  func missed() async throws {
    let change = try await library.fetchPersistentChanges(since: try? String(contentsOf: bookmark, encoding: .utf8))
    for asset in change.insertedObjects { say("+ \(Self.line(asset))") }
    for asset in change.changedObjects { say("~ \(Self.line(asset))") }
    for identifier in change.removedIdentifiers { say("- \(identifier)") }
    try FileManager.default.createDirectory(at: bookmark.deletingLastPathComponent(), withIntermediateDirectories: true)
    try change.changeToken.write(to: bookmark, atomically: true, encoding: .utf8)
  }

  private func find(_ identifier: String) async throws -> Asset? {
    try await Asset.fetchAssets(withLocalIdentifiers: [identifier], in: library).firstObject
  }
}
