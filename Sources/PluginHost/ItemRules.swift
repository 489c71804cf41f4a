package import BrokerInterface
package import PhotoModel

/// The protocol's limits for items, used by the broker, which skips other items, and by `plugin
/// check`.
package enum ItemRules {
  private static let fileLimit = 16

  /// The problem with an item from the wire; nil if it is valid. Names no photo.
  package static func complaint(about item: Plugin.Item) -> String? {
    guard !item.files.isEmpty else { return "It has no file. List the photo itself first." }
    guard SourceType(rawValue: item.source) != nil else { return "Its source is neither userLibrary nor cloudShared." }
    guard let known = StorageItem(item) else {
      return "The role of a file is not one of original, edited, raw, pairedVideo, sidecar."
    }
    return complaint(about: known)
  }

  /// The problem with an item; nil if it is valid. Names no photo.
  static func complaint(about item: StorageItem) -> String? {
    guard item.primary.role == .original else { return "The role of its first file is not \"original\"." }
    guard item.others.count < fileLimit else {
      return "It has \(item.others.count + 1) files; at most \(fileLimit) belong to one photo."
    }
    if let complaint = complaint(about: item.primary) { return complaint }
    for file in item.others {
      if let complaint = complaint(about: file) { return complaint }
    }
    return nil
  }

  private static func complaint(about file: ItemFile) -> String? {
    guard isPath(file.locator) else {
      return
        """
        A locator is not a path of 1 to 4,096 bytes without control characters, a slash at an end, or a component \
        that is empty, "." or "..".
        """
    }
    guard isName(file.filename) else { return Self.noName }
    guard file.size >= 0 else { return "A size is negative." }
    guard (1...256).contains(file.contentVersion.utf8.count) else {
      return "A contentVersion is not 1 to 256 bytes long."
    }
    guard (file.identityHint ?? "-").utf8.count <= 256 else { return "An identityHint is longer than 256 bytes." }
    return nil
  }

  package static func isPath(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...4_096).contains(bytes.count), bytes.first != UInt8(ascii: "/"),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else {
      return false
    }
    // As bytes: a combining character would merge with the slash before it.
    return !bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).contains {
      $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
    }
  }

  /// The problem with a list's unreadable folders and volumes; nil if they are valid.
  package static func complaint(unreadable: [String], volumes: [StorageVolume]) -> String? {
    guard unreadable.count <= StorageFolder.listLimit, unreadable.allSatisfy(isFolder) else {
      return
        """
        unreadable has more than \(StorageFolder.listLimit) entries in all pages, or one is not a path below the \
        storage.
        """
    }
    guard volumes.count <= StorageFolder.listLimit, volumes.allSatisfy({ isFolder($0.path) && isIdentity($0.identity) })
    else {
      return
        """
        There are more than \(StorageFolder.listLimit) volumes in all pages, or one has no path below the storage, or \
        no identity of 1 to 256 bytes without line breaks.
        """
    }
    return nil
  }

  /// As bytes, because Swift treats CR LF as one character.
  private static func isIdentity(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count) && !text.utf8.contains(0x0a)
  }

  private static let noName =
    "A filename is not 1 to 255 bytes without slash and control characters, or is \".\", \"..\" or invisible."

  private static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...255).contains(bytes.count),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") })
    else {
      return false
    }
    // Apps create files with these names, and people see them.
    return !bytes.elementsEqual(".".utf8) && !bytes.elementsEqual("..".utf8)
      && text.unicodeScalars.contains { !$0.properties.isDefaultIgnorableCodePoint && !$0.properties.isWhitespace }
  }

  /// Whether a text is a folder of a storage; the empty path is the whole storage.
  package static func isFolder(_ path: String) -> Bool { path.isEmpty || isPath(path) }
}
