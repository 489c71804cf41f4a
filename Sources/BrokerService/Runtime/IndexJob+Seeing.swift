import Broker
import Catalogue
import Indexer
import Limits
import PhotoModel
import PluginHost

extension IndexJob {
  /// Most extensions of a partial scan before it becomes a full one.
  private static let wideningLimit = 4
  private static let folderLimit = 1_024

  func see(_ folders: [StorageFolder]?) throws(StorageFailure) -> StorageSurvey {
    if let folders, let seen = see(some: folders) { return seen }
    let scan = try storage.scan(nil) { [onProgress] seen in onProgress(0, seen) }
    guard let known = known(nil) else { throw Self.unknown }
    return try withVolumes(StorageSurvey(scan: scan, known: known.seen(by: scan)))
  }

  static let unknown = StorageFailure(.failed, .stateNotRead, "The library's state could not be read.")

  /// Scans some folders, and extends the scan to folders with related files: a moved file's old
  /// folder, and an asset's other files.
  /// - Returns: Nil if a full scan is needed.
  private func see(some first: [StorageFolder]) -> StorageSurvey? {
    var folders = StorageFolder.reduced(first.flatMap(\.withRawFolders))
    for _ in 0..<Self.wideningLimit {
      guard folders.count <= Self.folderLimit, let scan = try? storage.scan(folders, { _ in }),
        isOnKnownVolumes(scan, folders)
      else {
        return nil
      }
      let hints = Set(scan.items.flatMap { $0.files }.compactMap(\.identityHint))
      guard let known = known(AssetScope(folders: folders, hints: hints))?.seen(by: scan) else { return nil }
      let offline = unreadable(scan, known)
      let places = Set(known.lazy.flatMap(\.resources).map { StorageFolder(of: $0.locator) })
      let unseen = places.filter { place in !folders.contains { $0 == place || ($0.isDeep && $0.contains(place.path)) }
      }
      guard !unseen.isEmpty else {
        return StorageSurvey(scan: scan, known: known, folders: folders, volumes: volumes, offline: offline)
      }
      folders = StorageFolder.reduced(folders + unseen)
    }
    return nil
  }

  /// Whether a partial scan found every volume of its folders in place.
  private func isOnKnownVolumes(_ scan: StorageListing, _ folders: [StorageFolder]) -> Bool {
    volumes.allSatisfy { volume in
      let place = StorageFolder(path: volume.path, isDeep: true)
      let concerns = folders.contains { place.contains($0.path) || ($0.isDeep && $0.contains(volume.path)) }
      return !concerns || scan.volumes.contains(volume)
    } && scan.volumes.allSatisfy(volumes.contains)
  }

  /// Unreadable folders. A folder that may not be named, and that holds no known file, is left out.
  private func unreadable(_ scan: StorageListing, _ known: [AssetRecord]) -> [StorageFolder] {
    scan.unreadable.map { StorageFolder(path: $0, isDeep: true) }.filter { folder in
      !files.source.hides(folder.path)
        || known.contains { asset in asset.resources.contains { folder.contains($0.locator) } }
    }
  }

  /// Finds volumes that are missing or were replaced, since an empty mount point does not mean
  /// deleted photos.
  /// - Throws: `offline` if that is the whole storage.
  private func withVolumes(_ seen: StorageSurvey) throws(StorageFailure) -> StorageSurvey {
    var seen = seen
    seen.offline = unreadable(seen.scan, seen.known)
    seen.volumes = seen.scan.volumes
    guard !seen.scan.volumes.isEmpty else { return seen }
    for volume in volumes where !seen.scan.volumes.contains(volume) {
      let place = StorageFolder(path: volume.path, isDeep: true)
      guard !holdsTheSame(seen, in: place) else { continue }
      guard !volume.path.isEmpty else {
        throw StorageFailure(
          .offline, .otherVolume,
          "The library's disk is missing, or another folder or disk is in its place. Put it back; if it is gone for "
            + "good, remove the library and add it anew.")
      }
      seen.offline.append(place)
      seen.scan.items.removeAll { place.contains($0.primary.locator) }
      seen.volumes.removeAll { $0.path == volume.path }
      seen.volumes.append(volume)
    }
    return seen
  }

  /// Missing assets that may be only temporarily missing. A storage without volumes cannot tell an
  /// unmounted disk from an empty folder.
  func missed(_ compared: ScanComparison) -> [AssetRecord] {
    let gone = compared.gone
    guard !gone.isEmpty, compared.seen.volumes.isEmpty else { return [] }
    let known = compared.seen.known.filter { !$0.row.flags.contains(.trashed) }
    let missed =
      gone.count == known.count && isEverything(known, compared.seen)
      ? Set(gone.map(\.row.number)) : MissedPhotos.among(gone, known: known)
    return gone.filter { missed.contains($0.row.number) && !believed.contains($0.row.number) }
  }

  /// Whether these are all assets of the library.
  private func isEverything(_ assets: [AssetRecord], _ seen: StorageSurvey) -> Bool {
    guard seen.folders != nil else { return true }
    return known(nil).map { all in all.assets.count { !$0.row.flags.contains(.trashed) } <= assets.count } ?? true
  }

  /// Whether most known files of a folder are there with the same name and size. Then it is the
  /// same folder on another disk, or the disk has a new identifier. Another camera card has the
  /// same names, but other sizes.
  private func holdsTheSame(_ seen: StorageSurvey, in place: StorageFolder) -> Bool {
    let known = seen.known.filter { !$0.row.flags.contains(.trashed) }.compactMap(\.resources.first).filter {
      place.contains($0.locator)
    }
    guard !known.isEmpty else { return true }
    let sizes = Dictionary(
      seen.scan.items.map { (ExactText($0.primary.locator), $0.primary.size) }, uniquingKeysWith: { first, _ in first })
    return known.count { sizes[ExactText($0.locator)] == $0.size } * 2 >= known.count
  }
}

extension StorageFolder {
  /// The folder with those whose photos and raw files may belong together.
  fileprivate var withRawFolders: [StorageFolder] {
    let below = ["raw", "RAW", "Raw"].map { StorageFolder(path: path.isEmpty ? $0 : "\(path)/\($0)", isDeep: false) }
    return [self] + [aboveRaw].compactMap { $0 } + (isDeep ? [] : below)
  }
}

extension IndexJob.Outcome {
  /// - Parameter hides: Whether a file may not be named.
  mutating func take(_ seen: StorageSurvey, hides: (String) -> Bool) {
    unseen = Set(seen.scan.refused.files.keys)
    volumes = seen.volumes
    offline = seen.offline
    folders = seen.folders
    var away: Set<ExactText> = []
    for folder in seen.offline {
      let count = seen.known.count { asset in asset.resources.first.map { folder.contains($0.locator) } ?? false }
      // The storage names folders without known files, if it skipped them.
      guard count > 0 || seen.scan.unnamed > 0 else { continue }
      away.insert(ExactText(folder.path))
      found.add(
        folder.path.isEmpty ? "." : folder.path,
        Reason(
          .folderAway,
          "The folder is missing or cannot be read; its \(Amount.count(count, "known photo")) stay in the library, "
            + "offline.",
          ["count": "\(count)"]))
    }
    for file in seen.scan.leftOut where !away.contains(ExactText(file.path)) && !hides(file.path) {
      found.add(file.path, Reason(leftOut: file.cause))
    }
    found.add(nil, Reason(.fileUnusable, "the storage skipped it"), count: seen.scan.unnamed)
    let refused = seen.scan.refused
    for (path, complaint) in refused.names where !hides(path.text) {
      found.add(path.text, Reason(.fileRefused, "the plugin described it wrongly: \(complaint)"))
    }
    found.add(
      nil, Reason(.fileRefused, "the plugin described it wrongly"), count: refused.count - refused.names.count)
  }
}

extension Reason {
  /// - Parameter count: Number of missing assets that do not count as deleted yet.
  static func missed(_ count: Int) -> Reason {
    Reason(
      .photosMissed,
      "\(Amount.count(count, "photo")) disappeared at once: all of the library, or many of a folder. Check that its "
        + "disk is mounted and its storage is the right one. They are offline, and count as deleted if they are still "
        + "missing in an hour, or at once after: photobroker library rescan.",
      ["count": "\(count)"])
  }
}
