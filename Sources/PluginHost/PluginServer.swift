import BrokerInterface
import PhotoModel
package import PluginKit
package import UnixSocket
import Varlink

/// Serves `io.photobroker.Plugin` for one plugin object, in a process of its own.
package final class PluginServer {
  private let registry: PluginRegistry
  private let kit: Int
  private var storage: (any StorageBackend)?
  private var pages = PageSplitter()
  private var policy: (any AlbumPolicy)?
  private var mapping: (any CloudMapping)?
  private var writer = JSONWriter(capacity: 65_536)

  /// - Parameter kit: the kit version of the plugin.
  package init(_ registry: PluginRegistry, kit: Int) {
    self.registry = registry
    self.kit = kit
  }

  /// Answers calls in order, until the broker closes the connection.
  package func run(_ connection: BlockingConnection) throws {
    while var frame = try connection.receive() {
      let call = try Call(message: frame.bytes)
      writer.removeAll()
      do {
        try answer(call, &frame.descriptors)
      } catch let error as PluginKit.PluginError {
        writer.appendError(Plugin.PluginError(code: error.code.rawValue, message: error.message))
      } catch let error as VarlinkError {
        writer.appendError(ServiceError(error))
      }
      // `send` adds the terminating zero byte.
      let bytes = writer.withUnsafeBytes { [UInt8]($0.dropLast()) }
      try connection.send(bytes.span)
    }
  }

  private func answer(_ call: Call, _ descriptors: inout OwnedDescriptors) throws {
    switch call.method {
    case Plugin.Describe.name: writer.appendReply(PluginDescription(registry).reply)
    case Plugin.Start.name: try start(call.decode())
    case Plugin.Facts.name:
      let facts = try backend().facts()
      writer.appendReply(
        Plugin.Facts.Reply(
          root: facts.root, changeDetection: facts.changeDetection.rawValue, isReadOnly: facts.isReadOnly,
          notice: facts.notice,
          cacheBytes: facts.cacheBytes == 0 ? nil : facts.cacheBytes, ranges: facts.readsRanges ? true : nil,
          ignoredNames: facts.ignoredNames.isEmpty ? nil : facts.ignoredNames,
          takesAdditions: facts.takesAdditions == !facts.isReadOnly ? nil : facts.takesAdditions,
          takesDeletions: facts.takesDeletions == !facts.isReadOnly ? nil : facts.takesDeletions))
    case Plugin.Enumerate.name:
      let parameters: Plugin.Enumerate.Parameters = try call.decode()
      let backend = try backend()
      let folders = parameters.folders?.map { StorageFolder(path: $0.path, isDeep: $0.isDeep) }
      let page = try pages.page(parameters.page) { (token) throws(PluginKit.PluginError) in
        guard let folders else { return try backend.enumerate(page: token) }
        return try backend.enumerate(folders: folders, page: token)
      }
      writer.appendReply(
        Plugin.Enumerate.Reply(
          items: page.items.map { Plugin.Item($0) }, skipped: Int64(page.skipped), next: page.next,
          unreadable: page.unreadable.isEmpty ? nil : page.unreadable,
          volumes: page.volumes.isEmpty
            ? nil : page.volumes.map { Plugin.Volume(path: $0.path, identity: $0.identity) },
          leftOut: page.leftOut.isEmpty
            ? nil : page.leftOut.map { Plugin.LeftOut(path: $0.path, cause: $0.cause.rawValue) }))
    case Plugin.WaitForChanges.name:
      let parameters: Plugin.WaitForChanges.Parameters = try call.decode()
      let backend = try backend()
      let changed = try backend.waitForChanges(milliseconds: Int(clamping: parameters.milliseconds))
      let folders = changed ? backend.changedFolders() : nil
      writer.appendReply(
        Plugin.WaitForChanges.Reply(
          changed: changed, folders: folders?.map { Plugin.Folder(path: $0.path, isDeep: $0.isDeep) }))
    case Plugin.Read.name:
      let parameters: Plugin.Read.Parameters = try call.decode()
      guard let pipe = descriptors.takeFirst() else {
        throw PluginKit.PluginError(.failed, "Read came without its descriptor.")
      }
      try read(parameters, into: pipe.number)
      writer.appendReply(Plugin.Read.Reply())
    case Plugin.Add.name:
      let parameters: Plugin.Add.Parameters = try call.decode()
      guard let descriptor = descriptors.takeFirst() else {
        throw PluginKit.PluginError(.failed, "Add came without its descriptor.")
      }
      let (name, size) = (parameters.name, parameters.size)
      let item =
        if let folder = parameters.folder {
          try backend().add(name: name, contents: descriptor.number, size: size, folder: folder)
        } else {
          try backend().add(name: name, contents: descriptor.number, size: size)
        }
      writer.appendReply(Plugin.Add.Reply(item: Plugin.Item(item)))
    case Plugin.Stage.name:
      let parameters: Plugin.Stage.Parameters = try call.decode()
      guard let descriptor = descriptors.takeFirst() else {
        throw PluginKit.PluginError(.failed, "Stage came without its descriptor.")
      }
      let staged = try backend().stage(contents: descriptor.number, size: parameters.size)
      writer.appendReply(Plugin.Stage.Reply(staged: staged.name, identityHint: staged.identityHint))
    case Plugin.Publish.name:
      let parameters: Plugin.Publish.Parameters = try call.decode()
      writer.appendReply(
        Plugin.Publish.Reply(item: Plugin.Item(try backend().publish(parameters.staged, name: parameters.name))))
    case Plugin.Discard.name:
      let parameters: Plugin.Discard.Parameters = try call.decode()
      try backend().discard(parameters.staged)
      writer.appendReply(Plugin.Discard.Reply())
    case Plugin.Withdraw.name:
      let parameters: Plugin.Withdraw.Parameters = try call.decode()
      try backend().withdraw(locator: parameters.locator, identityHint: parameters.identityHint)
      writer.appendReply(Plugin.Withdraw.Reply())
    case Plugin.Trash.name:
      let parameters: Plugin.Trash.Parameters = try call.decode()
      if var known = KnownFile(parameters.contentVersion, parameters.identityHint) {
        known.others = parameters.others
        try backend().trash(locator: parameters.locator, known: known)
      } else {
        try backend().trash(locator: parameters.locator)
      }
      writer.appendReply(Plugin.Trash.Reply())
    case Plugin.Restore.name:
      let parameters: Plugin.Restore.Parameters = try call.decode()
      if let known = KnownFile(parameters.contentVersion, parameters.identityHint) {
        try backend().restore(locator: parameters.locator, known: known)
      } else {
        try backend().restore(locator: parameters.locator)
      }
      writer.appendReply(Plugin.Restore.Reply())
    case Plugin.FindTrashed.name:
      let parameters: Plugin.FindTrashed.Parameters = try call.decode()
      let known = KnownFile(contentVersion: parameters.contentVersion, identityHint: parameters.identityHint)
      let place = try backend().findTrashed(locator: parameters.locator, known: known)
      writer.appendReply(Plugin.FindTrashed.Reply(locator: place))
    case Plugin.DecideAlbums.name: try decide(call.decode())
    case Plugin.NameItems.name: try nameItems(call.decode())
    default: writer.appendError(ServiceError.methodNotFound(method: call.method))
    }
  }

  private func start(_ parameters: Plugin.Start.Parameters) throws {
    let secrets = parameters.secrets ?? [:]
    switch parameters.protocol {
    case "storage":
      storage = try registry.makeStorage(
        parameters.name, options: parameters.options, secrets: secrets, folders: parameters.folders ?? [:],
        owner: parameters.owner.flatMap { UInt32(exactly: $0) })
    case "albumPolicy": policy = try registry.makePolicy(parameters.name, options: parameters.options, secrets: secrets)
    case "cloudMapping":
      mapping = try registry.makeMapping(parameters.name, options: parameters.options, secrets: secrets)
    default: throw PluginKit.PluginError(.unsupported, "There is no protocol \"\(parameters.protocol)\".")
    }
    writer.appendReply(Plugin.Start.Reply(kit: Int64(kit)))
  }

  private func read(_ asked: Plugin.Read.Parameters, into pipe: Int32) throws {
    switch ReadPart(from: asked.offset, length: asked.length) {
    case nil: throw PluginKit.PluginError(.failed, ReadPart.rule)
    case .rest?:
      try backend().read(locator: asked.locator, contentVersion: asked.contentVersion, from: asked.offset, into: pipe)
    case .range(let range)?:
      try backend().read(locator: asked.locator, contentVersion: asked.contentVersion, range: range, into: pipe)
    }
  }

  private func backend() throws -> any StorageBackend {
    guard let storage else { throw PluginKit.PluginError(.failed, "Start must come first, with protocol storage.") }
    return storage
  }

  private func decide(_ parameters: Plugin.DecideAlbums.Parameters) throws {
    guard let policy else { throw PluginKit.PluginError(.failed, "Start must come first, with protocol albumPolicy.") }
    let albums = parameters.albums.compactMap { album in
      AlbumIdentifier(album.identifier).map {
        AlbumPolicyQuestion.Album(
          identifier: $0, title: album.title, isOwn: album.isOwn, isShared: album.isShared,
          source: SourceType(rawValue: album.source) ?? .userLibrary)
      }
    }
    let answer = try policy.decide(AlbumPolicyQuestion(isLimited: parameters.isLimited, albums: albums))
    writer.appendReply(
      Plugin.DecideAlbums.Reply(
        visible: answer.visible.map(\.description).sorted(), editable: answer.editable.map(\.description).sorted(),
        mayCreate: answer.mayCreate))
  }

  private func nameItems(_ parameters: Plugin.NameItems.Parameters) throws {
    guard let mapping else {
      throw PluginKit.PluginError(.failed, "Start must come first, with protocol cloudMapping.")
    }
    let items = try parameters.items.map { item in
      guard let item = CloudItem(item) else {
        throw PluginKit.PluginError(.failed, "An item is neither an asset nor an album.")
      }
      return item
    }
    let names = try mapping.cloudIdentifiers(for: items, application: parameters.application)
    guard !names.contains("") else {
      throw PluginKit.PluginError(
        .failed, "It named an item with an empty text. Return nil for an item without a name.")
    }
    writer.appendReply(Plugin.NameItems.Reply(names: names.map { $0 ?? "" }))
  }
}

extension KnownFile {
  /// Nil if the broker sent no state of the file.
  fileprivate init?(_ contentVersion: String?, _ identityHint: String?) {
    guard let contentVersion else { return nil }
    self.init(contentVersion: contentVersion, identityHint: identityHint)
  }
}

extension Plugin.Item {
  init(_ item: StorageItem) {
    self.init(files: ([item.primary] + item.others).map { Plugin.File($0) }, source: item.source.rawValue)
  }
}

extension Plugin.File {
  init(_ file: ItemFile) {
    self.init(
      role: file.role.rawValue, locator: file.locator, filename: file.filename, size: file.size,
      contentVersion: file.contentVersion, identityHint: file.identityHint, modified: file.modified.microseconds)
  }
}

extension CloudItem {
  fileprivate init?(_ item: Plugin.CloudItem) {
    if let text = item.digest {
      guard let digest = Hex.bytes(text), digest.count == 32 else { return nil }
      self = .asset(digest: digest)
    } else if let title = item.title, let created = item.created {
      self = .album(title: title, created: Timestamp(microseconds: created))
    } else {
      return nil
    }
  }
}
