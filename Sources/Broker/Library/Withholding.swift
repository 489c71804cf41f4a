import Catalogue
import PhotoModel

/// Follows files between assets while a batch of a look is taken up, so that what is hidden or never shared stays that wherever its files
/// are found to belong (R13). It goes by the marks of this moment: the owner may have made them since the look read the assets.
struct Withholding {
  private let library: LibraryState
  private let prior: PriorFiles
  /// What this batch parts and finds.
  private var parted = PartedFiles()
  private var found: [Int] = []
  private var foundHere: [Int] = []
  private var gone: [AssetNumber: AssetFlags] = [:]

  init(_ library: LibraryState, _ prior: PriorFiles) {
    self.library = library
    self.prior = prior
  }

  /// What the owner marked where files come from that an asset did not have before. A sidecar alone is no photo.
  /// - Parameter known: The asset; nil: a new one.
  mutating func marks(of files: [ResourceRecord], in known: AssetNumber?) -> AssetFlags {
    let own = known.map { prior.files(of: $0) } ?? []
    var marks: AssetFlags = []
    for file in files where file.role != .sidecar && !own.contains(where: { $0.isSameFile(as: file) }) {
      for asset in prior.assets(of: file) where asset != known {
        marks.formUnion(library.catalogue.row(of: asset)?.flags ?? library.marksOfGone[asset] ?? [])
      }
      let (before, here) = (library.parted.find(file), parted.find(file))
      for left in before.map({ library.parted[$0] }) + here.map({ parted[$0] }) {
        marks.formUnion(library.catalogue.row(of: left.asset)?.flags ?? left.marks)
      }
      // Of several with the same bytes it is one, and the others are still to come.
      found += before.prefix(1)
      foundHere += here.prefix(1)
    }
    return marks.intersection(.withheld)
  }

  /// An asset has these files only; none: it is gone.
  mutating func part(from known: AssetRow, now: [ResourceRecord]) {
    guard !known.flags.isDisjoint(with: .withheld) else { return }
    if now.isEmpty { gone[known.number] = known.flags }
    for file in prior.files(of: known.number) where file.role != .sidecar && !now.contains(where: { $0.isSameFile(as: file) }) {
      parted.note(file, of: known)
    }
  }

  /// Puts what is to be kept of it into a plan, and answers what to do once it is kept.
  mutating func finish(_ plan: inout LibraryState.Plan) -> () -> Void {
    let hasParted = !parted.isEmpty
    parted.claim(foundHere)
    let (library, parted, found, gone) = (library, parted, found, gone)
    if hasParted || !found.isEmpty {
      let text = library.parted.text(adding: parted, without: found)
      plan.changes.append(.putSetting(name: SettingName.parted + library.record.name.description, value: text))
    }
    return {
      library.parted.claim(found)
      library.parted.add(parted)
      library.marksOfGone.merge(gone) { $1 }
    }
  }
}

extension ResourceRecord {
  /// Whether both are one file: by what stays with it, else by its place.
  fileprivate func isSameFile(as other: ResourceRecord) -> Bool {
    if let identityHint, let hint = other.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(locator) == ExactText(other.locator)
  }
}
