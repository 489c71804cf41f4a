package import Broker
import PhotoModel

/// Decides which raw files belong to the photo with the same name, from the library's records.
package struct RawPairs {
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
      for file in asset.resources where file.role == .original || file.role == .raw {
        byPlace[ExactText(file.locator)] = Known(
          asset: index, file: file, isUpToDate: asset.factsVersion >= factsVersion)
        if let hint = file.identityHint { hints.insert(ExactText(hint)) }
      }
    }
  }

  package func verdict(_ photo: ScannedItem.File, _ raw: ScannedItem.File) -> Verdict {
    let known = [photo, raw].map { file in byPlace[ExactText(file.locator)].flatMap { isAsItWas(file, $0) ? $0 : nil } }
    if let photo = known[0], let raw = known[1] {
      if photo.asset == raw.asset, raw.file.role == .raw { return .together }
      if photo.asset != raw.asset, photo.file.role == .original, raw.file.role == .original { return .apart }
    }
    return [photo, raw].contains(where: isKnown) ? .open : .new
  }

  private func isAsItWas(_ file: ScannedItem.File, _ known: Known) -> Bool {
    known.isUpToDate && ExactText(known.file.contentVersion) == ExactText(file.contentVersion)
  }

  private func isKnown(_ file: ScannedItem.File) -> Bool {
    byPlace[ExactText(file.locator)] != nil || file.identityHint.map { hints.contains(ExactText($0)) } ?? false
  }
}

extension ScannedItem {
  package var raws: [File] { others.filter { $0.role == .raw } }

  /// Splits raw files off the photo as photos of their own, each with the sidecars of its whole
  /// name. If no raw file is left, sidecars of the stem alone go with the first one: programs write
  /// `photo.xmp` for a raw file, with its location.
  package func parted(from strangers: [File]) -> [ScannedItem] {
    var photo = self
    photo.others.removeAll(where: strangers.contains)
    let isLast = photo.raws.isEmpty
    let parted = strangers.map { raw in
      let sidecars = photo.others.filter { file in
        let isAnothers = file.isSidecar(of: primary) || strangers.contains { $0 != raw && file.isSidecar(of: $0) }
        return file.role == .sidecar && (file.isSidecar(of: raw) || isLast && !isAnothers)
      }
      photo.others.removeAll(where: sidecars.contains)
      var own = raw
      own.role = .original
      return ScannedItem(primary: own, others: sidecars, source: source)
    }
    return [photo] + parted
  }
}

extension ScannedItem.File {
  /// Whether this is the sidecar of the whole name, `photo.dng.xmp`.
  fileprivate func isSidecar(of file: Self) -> Bool { filename.lowercased() == file.filename.lowercased() + ".xmp" }
}
