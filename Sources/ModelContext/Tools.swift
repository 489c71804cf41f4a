import Foundation
import PhotoBroker
import Synchronization
import Varlink

/// The tools, in the order in which agents see them.
enum Tools {
  static let all = [
    access, askForAccess, listPhotos, look, details, listAlbums, askForMore, pick, export, addPhoto, editPhotos,
    createAlbum, deletePhotos,
  ]

  private static let photo = (name: "photo", schema: Schema.text("The id of a photo or video, from list_photos."))
  private static let photos = (name: "photos", schema: Schema.list("Ids from list_photos.", 1...100))

  private static let access = Tool(
    "access", "Access", "Tells what you may see and do now, and asks nobody. Begin here.", needsDecision: false
  ) { input, context in
    return [Content.json(try await describe(context.library))]
  }

  private static let askForAccess = Tool(
    "ask_for_access", "Ask for access",
    "Asks the owner for access to photos, and waits for the answer. If it takes longer, the request stays open: call "
      + "again later. The owner may choose a few photos, all, or none. A refusal stands; do not ask again.",
    needsDecision: false,
    [("wait_seconds", Schema.number("How long to wait; default 60.", 0...600))]
  ) { input, context in
    let end = ContinuousClock.now + .seconds(try input.number("wait_seconds", in: 0...600, default: 60))
    while case .pending = try await context.library.pollAuthorization(for: .readWrite) {
      guard ContinuousClock.now < end else {
        return [
          Content.text(
            "The owner was asked and has not answered yet. They answer on the page that photobroker open shows, or "
              + "with photobroker request list. Call again later.")
        ]
      }
      context.report(waitingForOwner)
      try await Task.sleep(for: .seconds(1))
    }
    return [Content.json(try await describe(context.library))]
  }

  private static let listPhotos = Tool(
    "list_photos", "List photos",
    "Lists the photos and videos that you may see, newest first, in pages, with captions and the ids of albums. `next` "
      + "of a page is the `cursor` of the next one.",
    [
      ("album", Schema.text("The id of an album, from list_albums.")),
      ("filename_contains", Schema.text("A part of the file's name.")),
      ("caption_contains", Schema.text("A part of the caption. Pages may be short; go on while there is `next`.")),
      ("from", Schema.text("Taken at this date or later, such as 2026-05-01 (UTC).")),
      ("before", Schema.text("Taken before this date.")),
      ("media", Schema.choice("Only photos or only videos.", ["image", "video"])),
      ("favorites", Schema.flag("Only favourites, or only others.")),
      ("region", Schema.list("Taken within south, west, north, east, in degrees.", of: "number", 4...4)),
      ("limit", Schema.number("Photos in a page; default 50.", 1...100)),
      ("cursor", Schema.text("`next` of the page before, with the same other arguments.")),
    ]
  ) { input, context in
    var options = FetchOptions()
    if let album = try input.text("album") { options.collection = try await Self.album(album, context) }
    options.filenameContains = try input.text("filename_contains")
    options.createdFrom = try input.date("from")
    options.createdBefore = try input.date("before")
    if let media = try input.text("media") {
      guard media == "image" || media == "video", let type = MediaType(rawValue: media) else {
        throw Mistake(text: "media must be image or video.")
      }
      options.mediaTypes = [type]
    }
    options.isFavorite = try input.flag("favorites")
    options.region = try input.region("region")
    options.pageSize = try input.number("limit", in: 1...100, default: 50)
    (options.includesCaptions, options.includesAlbums) = (true, true)
    let words = try input.text("caption_contains")?.lowercased()
    var (assets, next, withheld) = try await context.library.page(of: options, after: try input.text("cursor"))
    if let words {
      // The broker has no search by captions, so pages are read until one has a match.
      var pages = 1
      func matches(_ asset: Asset) -> Bool { asset.caption?.lowercased().contains(words) ?? false }
      while !assets.contains(where: matches), let cursor = next, pages < captionPages {
        (assets, next, withheld) = try await context.library.page(of: options, after: cursor)
        pages += 1
      }
      assets = assets.filter(matches)
    }
    var page: JSONObject = ["photos": .array(assets.map { .object(summary($0)) })]
    page["withheld"] = names(withheld)
    page["next"] = next.map { .string($0) }
    return [Content.json(.object(page))]
  }

  /// The pages of photos that one call reads at most in search of a caption.
  private static let captionPages = 20

  private static let look = Tool(
    "look", "Look at a photo", "Shows a photo, or a frame of a video, as a JPEG.",
    [photo, ("size", Schema.number("The longest edge in pixels; default 1024.", 64...2_560))], required: ["photo"]
  ) { input, context in
    let size = try input.number("size", in: 64...2_560, default: 1_024)
    let asset = try await Self.asset(try input.required("photo"), context)
    let data = try await picture(of: asset, maxPixels: size, context)
    return [Content.jpeg(data.base64EncodedString())]
  }

  private static let details = Tool(
    "details", "Details of a photo",
    "Gives a photo's date, place, caption, albums and files, as far as you may know them.",
    [photo], required: ["photo"]
  ) { input, context in
    let asset = try await Self.asset(try input.required("photo"), context, withCaptionAndAlbums: true)
    var facts = summary(asset)
    let files = try await AssetResource.assetResources(for: asset, in: context.library)
    let listed = files.map { file in
      JSONValue.object([
        "type": .string(file.type.rawValue), "filename": .string(file.originalFilename),
        "contentType": .string(file.contentType), "bytes": .integer(file.size),
      ])
    }
    facts["files"] = .array(listed)
    return [Content.json(.object(facts))]
  }

  private static let listAlbums = Tool(
    "list_albums", "List albums", "Lists the albums that you may see."
  ) { input, context in
    let albums = try await AssetCollection.fetchAssetCollections(in: context.library)
    let listed = albums.map { album in
      JSONValue.object([
        "id": .string(album.localIdentifier), "title": .string(album.localizedTitle),
        "photos": .integer(Int64(album.estimatedAssetCount)), "editable": .bool(album.canEdit),
      ])
    }
    return [Content.json(.array(listed))]
  }

  private static let askForMore = Tool(
    "ask_for_more_photos", "Ask for more photos",
    "Opens the selection for the owner, who may add photos to those that you see, or take some away. Waits until "
      + "they are done. Only for limited access."
  ) { input, context in
    let added = try await waiting(context) { try await context.library.presentLimitedLibraryPicker() }
    return [Content.json(.object(["added": .array(added.map { .string($0) })]))]
  }

  private static let pick = Tool(
    "pick_photos", "Let the owner pick photos",
    "Lets the owner pick photos for you once, without any lasting access, and saves them as new files in a folder. "
      + "Waits until they are done.", effect: .saves, needsDecision: false,
    [
      ("folder", Schema.text("The absolute path of an existing folder for the files.")),
      ("limit", Schema.number("How many at most; default 1.", 1...100)),
    ], required: ["folder"]
  ) { input, context in
    let folder = URL(fileURLWithPath: try input.path("folder"), isDirectory: true)
    var configuration = PickerConfiguration()
    configuration.selectionLimit = try input.number("limit", in: 1...100, default: 1)
    let wanted = configuration
    let picked = try await waiting(context) { try await context.library.presentPicker(wanted) }
    if picked.isCancelled { return [Content.text("The owner picked nothing.")] }
    var saved: [JSONValue] = []
    for case let item? in picked.results.map(\.item) {
      saved.append(.string(try NewFile.save(try await item.loadData(), as: item.filename, in: folder)))
    }
    return [Content.json(.object(["saved": .array(saved)]))]
  }

  private static let export = Tool(
    "export_photo", "Save a photo's file", "Saves the file of a photo or video as a new file in a folder.",
    effect: .saves,
    [photo, ("folder", Schema.text("The absolute path of an existing folder."))], required: ["photo", "folder"]
  ) { input, context in
    let folder = URL(fileURLWithPath: try input.path("folder"), isDirectory: true)
    let asset = try await Self.asset(try input.required("photo"), context)
    let loaded = Mutex(0.0)
    let data = try await waiting(context, saying: { "Loading the file: \(Int(loaded.withLock { $0 } * 100)) %." }) {
      try await ImageManager(library: context.library).requestData(for: asset) { part in loaded.withLock { $0 = part } }
    }
    return [Content.json(.object(["saved": .string(try NewFile.save(data, as: asset.filename, in: folder))]))]
  }

  private static let addPhoto = Tool(
    "add_photo", "Add a photo", "Adds a photo or video file to the library. The owner is asked once.",
    effect: .changes, needsDecision: false,
    [("path", Schema.text("The absolute path of the file."))], required: ["path"]
  ) { input, context in
    let path = try input.path("path")
    guard FileManager.default.isReadableFile(atPath: path) else { throw Mistake(text: "There is no readable \(path).") }
    let added = try await waiting(context) {
      try await context.library.addAsset(fileURL: URL(fileURLWithPath: path))
    }
    return [Content.json(.object(["photo": .string(added)]))]
  }

  private static let editPhotos = Tool(
    "edit_photos", "Edit photos",
    "Changes captions, favourites, or albums of photos. The owner sees it and can undo it.",
    effect: .changes,
    [
      photos, ("caption", Schema.text("The new caption; empty removes it.")),
      ("favorite", Schema.flag("Whether they are favourites.")),
      ("add_to_album", Schema.text("The id of an album that takes them.")),
      ("remove_from_album", Schema.text("The id of an album that loses them.")),
    ], required: ["photos"]
  ) { input, context in
    let assets = try await Self.assets(input, context)
    let (caption, favorite) = (try input.text("caption"), try input.flag("favorite"))
    var albums: [AssetCollectionChangeRequest] = []
    for (argument, adds) in [("add_to_album", true), ("remove_from_album", false)] {
      guard let album = try input.text(argument) else { continue }
      var request = AssetCollectionChangeRequest(for: try await Self.album(album, context))
      if adds { request.addAssets(assets) } else { request.removeAssets(assets) }
      albums.append(request)
    }
    let requests = albums
    guard caption != nil || favorite != nil || !requests.isEmpty else {
      throw Mistake(text: "Name a change: caption, favorite, add_to_album or remove_from_album.")
    }
    try await context.library.performChanges { change in
      if let caption { change.setCaption(caption.isEmpty ? nil : caption, for: assets) }
      if let favorite { change.setFavorite(favorite, for: assets) }
      for request in requests { change.add(request) }
    }
    return [Content.text("Done.")]
  }

  private static let createAlbum = Tool(
    "create_album", "Make an album", "Makes an album, with photos if some are named.", effect: .changes,
    [("title", Schema.text("Its title.")), photos], required: ["title"]
  ) { input, context in
    var request = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: try input.required("title"))
    if try input.texts("photos", limit: 100) != nil { request.addAssets(try await Self.assets(input, context)) }
    let album = request
    let result = try await context.library.performChanges { $0.add(album) }
    return [Content.json(.object(["album": .string(result.createdAssetCollections.first ?? "")]))]
  }

  private static let deletePhotos = Tool(
    "delete_photos", "Delete photos",
    "Asks the owner to move photos to the library's trash, and waits for the answer.", effect: .deletes,
    [photos], required: ["photos"]
  ) { input, context in
    let assets = try await Self.assets(input, context)
    _ = try await waiting(context) { try await context.library.performChanges { $0.deleteAssets(assets) } }
    return [Content.text("Deleted: they are in the library's trash.")]
  }

  private static let waitingForOwner = "Waiting for the owner."

  /// A picture of an asset as JPEG. The broker may have to download the file first.
  static func picture(of asset: Asset, maxPixels: Int, _ context: Tool.Context) async throws -> Data {
    try await waiting(context, saying: { "Loading the photo." }) {
      try await ImageManager(library: context.library).requestImageData(for: asset, maxPixels: maxPixels)
    }
  }

  /// Runs a call that may take long, and tells the agent after a second, and then every five, that it
  /// still runs.
  private static func waiting<Result: Sendable>(
    _ context: Tool.Context, saying text: @escaping @Sendable () -> String = { waitingForOwner },
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        var pause = 1
        while true {
          try await Task.sleep(for: .seconds(pause))
          context.report(text())
          pause = 5
        }
      }
      defer { group.cancelAll() }
      while let result = try await group.next() { if let result { return result } }
      throw CancellationError()
    }
  }

  private static func describe(_ library: PhotoLibrary) async throws -> JSONValue {
    let access = try await library.describeAccess(for: .readWrite)
    var facts: JSONObject = [
      "status": .string("\(access.status)"), "visible_photos": .integer(Int64(access.visible)),
      "may": .array(access.verbs.sorted().map { .string($0) }), "paused": .bool(access.isPaused),
    ]
    facts["withheld"] = names(access.withheld)
    facts["picture_pixels"] = access.picturePixels.map { .integer(Int64($0)) }
    facts["ends"] = [access.tokenExpires, access.expires].compactMap { $0 }.min().map {
      .string($0.formatted(.iso8601))
    }
    return .object(facts)
  }

  /// The withheld facts; nil: none.
  private static func names(_ withheld: Set<String>) -> JSONValue? {
    withheld.isEmpty ? nil : .array(withheld.sorted().map { .string($0) })
  }

  static func summary(_ asset: Asset) -> JSONObject {
    var facts: JSONObject = [
      "id": .string(asset.localIdentifier), "filename": .string(asset.filename),
      "media": .string(asset.mediaType.rawValue), "width": .integer(Int64(asset.pixelWidth)),
      "height": .integer(Int64(asset.pixelHeight)),
    ]
    facts["taken"] = asset.creationDate.map { .string($0.formatted(.iso8601)) }
    if asset.mediaType == .video { facts["seconds"] = .double(asset.duration) }
    if asset.isFavorite { facts["favorite"] = .bool(true) }
    facts["caption"] = asset.caption.map { .string($0) }
    facts["albums"] = asset.albumIdentifiers.map { .array($0.map { .string($0) }) }
    facts["place"] = asset.location.map {
      .object(["latitude": .double($0.latitude), "longitude": .double($0.longitude)])
    }
    return facts
  }

  static func asset(
    _ identifier: String, _ context: Tool.Context, withCaptionAndAlbums isWhole: Bool = false
  ) async throws -> Asset {
    var options = FetchOptions()
    options.localIdentifiers = [identifier]
    (options.includesCaptions, options.includesAlbums) = (isWhole, isWhole)
    let found = try await Asset.fetchAssets(in: context.library, options: options)
    guard let asset = found.firstObject else { throw Mistake(text: "You see no photo with this id.") }
    return asset
  }

  private static func assets(_ input: ToolInput, _ context: Tool.Context) async throws -> [Asset] {
    guard let identifiers = try input.texts("photos", limit: 100) else { throw Mistake(text: "photos is missing.") }
    let found = try await Asset.fetchAssets(withLocalIdentifiers: identifiers, in: context.library).assets()
    guard found.count == Set(identifiers).count else {
      throw Mistake(text: "You see \(found.count) of these photos, so nothing was changed.")
    }
    return found
  }

  private static func album(_ identifier: String, _ context: Tool.Context) async throws -> AssetCollection {
    let albums = try await AssetCollection.fetchAssetCollections(
      withLocalIdentifiers: [identifier], in: context.library)
    guard let album = albums.first else {
      throw Mistake(text: "You see no album with this id; list_albums gives those that you see.")
    }
    return album
  }
}

/// Files that tools save.
enum NewFile {
  /// Saves bytes under a name that does not exist yet. Returns the path.
  ///
  /// - Throws: ``Mistake``.
  static func save(_ data: Data, as name: String, in folder: URL) throws -> String {
    // The name comes from the library and must not lead out of the folder.
    let name = String(name.split(separator: "/").last ?? "photo")
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    for number in 0..<1_000 {
      let own = number == 0 ? name : "\(name[..<dot])-\(number)\(name[dot...])"
      let file = folder.appendingPathComponent(own)
      do {
        try data.write(to: file, options: .withoutOverwriting)
        return file.path
      } catch let error as CocoaError where error.code == .fileWriteFileExists {
        continue
      } catch {
        throw Mistake(text: "Nothing can be saved in \(folder.path): \(error.localizedDescription)")
      }
    }
    throw Mistake(text: "\(folder.path) holds a thousand files named like \(name).")
  }
}
