package import Broker
import PhotoModel

/// Which raw files go with the photo of their name, as far as the library knows.
package struct RawPairs {
  package enum Verdict: Sendable {
    /// As they were found to be before.
    case together, apart
    /// Neither is known: what they become is found when they are looked into.
    case new
    /// Something of them is known, and they have to be looked into.
    case open
  }

  private struct Known {
    let asset: Int
    let file: ResourceRecord
    /// Whether it was looked into by rules as new as those of now.
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

  /// The photo without some of its raw files, and these as photos of their own, each with the
  /// sidecars of its whole name. Where no raw file is left the sidecars of the stem alone go with
  /// the first one: programs write `photo.xmp` for a raw file, and it says where that was taken.
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
  /// Of its whole name, `photo.dng.xmp`.
  fileprivate func isSidecar(of file: Self) -> Bool { filename.lowercased() == file.filename.lowercased() + ".xmp" }
}
