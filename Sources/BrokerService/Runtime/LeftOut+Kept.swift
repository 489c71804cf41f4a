import Broker
import Limits
import PhotoModel

/// Unusable files that are kept over a restart. A damaged remote file would otherwise be fetched in
/// full at each start. A damaged sidecar is kept because its photo is not read again, and nothing
/// else would report it.
extension LeftOut {
  /// Limit of stored entries. Unusable files beyond it are read again at each start.
  private static let keptLimit = 1_000
  /// Separates a line's fields; no path has one.
  private static let tab: Character = "\t"

  /// Restores the entries of an earlier run. Entries of another version are dropped, since this one
  /// may read those files. Only damaged sidecars stay, because their photos alone bring them up.
  init(kept text: String) {
    let lines = text.split(separator: "\n")
    let isOfThisVersion = lines.first.map(String.init) == Product.version
    for line in lines.dropFirst() {
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let code = Reason.Code(rawValue: fields[2]),
        isOfThisVersion || code == .sidecarUnreadable
      else { continue }
      unusable[ExactText(fields[0])] = IndexJob.Unusable(contentVersion: fields[1], reason: Reason(code, fields[3]))
    }
  }

  /// Text for ``init(kept:)``; empty if there are no entries.
  /// - Parameter isFar: Whether a fetch costs more than reading the facts. A local file is cheap to
  ///   read again, and the owner may restart just for that.
  func kept(isFar: Bool) -> String {
    let unusable = isFar ? unusable : unusableSidecars
    func isField(_ text: String) -> Bool { !text.utf8.contains { $0 < 0x20 } }
    let lines = unusable.sorted { $0.key.text < $1.key.text }.prefix(Self.keptLimit).compactMap {
      file, why -> String? in
      guard why.late == nil, isField(file.text), isField(why.contentVersion), isField(why.reason.text) else {
        return nil
      }
      return [file.text, why.contentVersion, why.reason.code.rawValue, why.reason.text].joined(
        separator: String(Self.tab))
    }
    return lines.isEmpty ? "" : ([Product.version] + lines).joined(separator: "\n")
  }
}
