import Foundation
import PhotoBroker

extension Journal {
  /// Copies one photo's bytes through a pipe and shows the progress.
  func copy(_ identifier: String, into file: String) async throws {
    let asset = try await find(identifier)
    let steps = Steps()
    let bytes = try await ImageManager(library: library).requestData(for: asset) { steps.add($0) }
    try bytes.write(to: URL(fileURLWithPath: file))
    say(
      "  copied \(bytes.count) bytes, \(steps.areInOrder ? "in order" : "out of order"), to \(Int(steps.last * 100)) %")
  }

  /// Sets a photo's caption, after a check that the broker would accept it.
  func caption(_ identifier: String, _ text: String) async throws {
    let asset = try await find(identifier)
    do {
      try await library.checkChanges { $0.setCaption(text, for: [asset], ifUnchanged: true) }
    } catch let error as PhotosError {
      throw JournalProblem("not possible: \(error.code)")
    }
    try await library.performChanges { $0.setCaption(text, for: [asset], ifUnchanged: true) }
    say("caption written")
  }

  /// Prints the changes since the last call.
  func missed() async throws {
    let token = try? String(contentsOf: bookmark, encoding: .utf8)
    do {
      let change = try await library.fetchPersistentChanges(since: token)
      tell(change)
      try keep(change.changeToken)
    } catch let error as PhotosError where error.code == .persistentChangeTokenExpired {
      say(Self.muchHasChanged)
      try keep(await library.fetchPersistentChanges(since: nil).changeToken)
    }
  }

  /// Saves a small picture of a photo.
  func picture(_ identifier: String, _ pixels: Int, into file: String) async throws {
    let asset = try await find(identifier)
    let picture = try await ImageManager(library: library).requestImageData(for: asset, maxPixels: pixels)
    try picture.write(to: URL(fileURLWithPath: file))
    say("  drawn in \(picture.count) bytes")
  }

  /// Adds photos to the album of that title, which is created if needed.
  func chapter(_ title: String, _ identifiers: [String]) async throws {
    var assets: [Asset] = []
    for identifier in identifiers {
      let asset = try await find(identifier)
      assets.append(asset)
    }
    let known = try await AssetCollection.fetchAssetCollections(in: library).first { $0.localizedTitle == title }
    let chosen = assets
    try await library.performChanges { changes in
      var chapter =
        known.map { AssetCollectionChangeRequest(for: $0) }
        ?? AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: title)
      chapter.addAssets(chosen)
      changes.add(chapter)
    }
    try await tellChapters()
  }

  /// Adds a picture to the library, for instance a drawn page.
  func add(_ file: String) async throws {
    let identifier = try await library.addAsset(fileURL: URL(fileURLWithPath: file))
    say("added \(identifier)")
  }

  /// Adds a picture with a caption in a new chapter, completely or not at all.
  func paste(_ file: String, into title: String, _ caption: String) async throws {
    let made: ChangeResult
    do {
      made = try await library.performChanges { changes in
        var photo = try AssetCreationRequest(fileURL: URL(fileURLWithPath: file))
        photo.caption = caption
        changes.add(photo)
        var chapter = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: title)
        chapter.addAssets([photo.placeholderForCreatedAsset])
        changes.add(chapter)
      }
    } catch let error as PhotosError {
      throw JournalProblem("not possible: \(error.code)")
    }
    say("added \(made.createdAssets.joined())")
    try await tellChapters()
  }

  /// Adds a photo from standard input. A file is checked first; a pipe is not, because a check
  /// would empty it.
  func addInput(as name: String) async throws {
    let input = FileHandle.standardInput
    var facts = stat()
    if fstat(input.fileDescriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
      try await library.checkAsset(filename: name, file: input)
      say("fit to be added")
    }
    say("added \(try await library.addAsset(filename: name, file: input))")
  }

  func find(_ identifier: String) async throws -> Asset {
    let found = try await Asset.fetchAssets(withLocalIdentifiers: [identifier], in: library).firstObject
    guard let found else { throw JournalProblem("no such photo") }
    return found
  }
}
