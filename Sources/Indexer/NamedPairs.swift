package import Broker
package import PhotoModel
import PluginKit

/// Decides which raw files and edited versions belong to the photo with the same name, from the
/// library's records.
package struct NamedPairs {
  package enum Verdict: Sendable {
    /// As decided before.
    case together, apart
    /// Both are unknown: the worker's facts will decide.
    case new
    /// One of them is known: the worker must read both.
    case open
  }

  private struct Known {
    let asset: Int
    let file: ResourceRecord
    /// Whether its facts are from the current version of the worker's rules.
    let isUpToDate: Bool
  }

  private var byPlace: [ExactText: Known] = [:]
  private var hints: Set<ExactText> = []

  /// - Parameter factsVersion: As for ``Reconciler/init(known:factsVersion:zone:)``.
  package init(known: [AssetRecord], factsVersion: UInt32) {
    for (index, asset) in known.enumerated() {
      for file in asset.resources where file.role == .original || file.role.isPairedByName {
        byPlace[ExactText(file.locator)] = Known(
          asset: index, file: file, isUpToDate: asset.factsVersion >= factsVersion)
        if let hint = file.identityHint { hints.insert(ExactText(hint)) }
      }
    }
  }

  package func verdict(_ photo: ItemFile, _ other: ItemFile) -> Verdict {
    let known = [photo, other].map { file in
      byPlace[ExactText(file.locator)].flatMap { isAsItWas(file, $0) ? $0 : nil }
    }
    if let photo = known[0], let other = known[1] {
      if photo.asset == other.asset, other.file.role.isPairedByName { return .together }
      if photo.asset != other.asset, photo.file.role == .original, other.file.role == .original { return .apart }
    }
    return [photo, other].contains(where: isKnown) ? .open : .new
  }

  /// Whether both files belonged to one asset, whatever their present versions.
  package func wereTogether(_ photo: ItemFile, _ other: ItemFile) -> Bool {
    guard let photo = byPlace[ExactText(photo.locator)] else { return false }
    return byPlace[ExactText(other.locator)]?.asset == photo.asset
  }

  private func isAsItWas(_ file: ItemFile, _ known: Known) -> Bool {
    known.isUpToDate && ExactText(known.file.contentVersion) == ExactText(file.contentVersion)
  }

  private func isKnown(_ file: ItemFile) -> Bool {
    byPlace[ExactText(file.locator)] != nil || file.identityHint.map { hints.contains(ExactText($0)) } ?? false
  }
}

extension ResourceRole {
  /// Whether a storage pairs such a file with its photo by name.
  fileprivate var isPairedByName: Bool { self == .raw || self == .edited }
}

extension StorageItem {
  /// The files that a storage paired with the photo by name.
  package var pairedByName: [ItemFile] { others.filter { $0.role.isPairedByName } }

  /// Splits files off the photo as photos of their own, each with the sidecars of its whole name. If
  /// no raw file is left, sidecars of the stem alone go with the first one: programs write
  /// `photo.xmp` for a raw file, with its location.
  package func detached(from strangers: [ItemFile]) -> [StorageItem] {
    var photo = self
    photo.others.removeAll(where: strangers.contains)
    let isLast = !photo.others.contains { $0.role == .raw }
    let detached = strangers.map { stranger in
      let sidecars = photo.others.filter { file in
        let isAnothers = file.isSidecar(of: primary) || strangers.contains { $0 != stranger && file.isSidecar(of: $0) }
        return file.role == .sidecar
          && (file.isSidecar(of: stranger) || stranger.role == .raw && isLast && !isAnothers)
      }
      photo.others.removeAll(where: sidecars.contains)
      var own = stranger
      own.role = .original
      return StorageItem(primary: own, others: sidecars, source: source)
    }
    return [photo] + detached
  }

  /// Joins raw files in subfolders named `raw` to the photos of their names in the folders above.
  package static func joiningRawFolders(_ items: [StorageItem]) -> [StorageItem] {
    guard items.contains(where: { $0.rawFolderStem != nil }) else { return items }
    var items = items
    var photos: [ExactText: Int] = [:]
    for (index, item) in items.enumerated() where item.primary.hasRawBeside && item.pairedByName.isEmpty {
      let stem = ExactText(item.primary.stem(in: StorageFolder(of: item.primary.locator)))
      if photos[stem] == nil { photos[stem] = index }
    }
    var joined: Set<Int> = []
    for (index, item) in items.enumerated() {
      guard let stem = item.rawFolderStem, let photo = photos.removeValue(forKey: stem) else { continue }
      var raw = item.primary
      raw.role = .raw
      items[photo].others = [raw] + items[photo].others + item.others
      joined.insert(index)
    }
    return items.indices.filter { !joined.contains($0) }.map { items[$0] }
  }

  /// The place above a subfolder for raw files, with the stem of this one; nil: it is in none.
  private var rawFolderStem: ExactText? {
    guard FileKind(primary.filename) == .raw, let above = StorageFolder(of: primary.locator).aboveRaw
    else { return nil }
    return ExactText(primary.stem(in: above))
  }
}

extension StorageFolder {
  /// The folder above one for raw files; nil: this is none.
  package var aboveRaw: StorageFolder? {
    let above = StorageFolder(of: path)
    let name = path.utf8.dropFirst(above.path.isEmpty ? 0 : above.path.utf8.count + 1)
    return String(name)?.lowercased() == "raw" ? above : nil
  }
}

extension ItemFile {
  /// Whether this is the sidecar of the whole name, `photo.dng.xmp`.
  fileprivate func isSidecar(of file: Self) -> Bool {
    filename.lowercased().hasPrefix(file.filename.lowercased() + ".")
  }

  fileprivate var hasRawBeside: Bool {
    ["jpg", "jpeg", "jpe", "jfif", "heic", "heif", "hif"].contains(FileKind.ending(filename))
  }

  /// The path of a folder, and the name without its extension in lower case.
  fileprivate func stem(in folder: StorageFolder) -> String {
    "\(folder.path)/\((filename.lastIndex(of: ".").map { filename[..<$0] } ?? filename[...]).lowercased())"
  }
}
