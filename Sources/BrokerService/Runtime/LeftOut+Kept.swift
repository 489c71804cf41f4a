import Broker
import PhotoModel

/// What is kept over a restart: of far files, since one that is damaged would be read as a whole
/// again at each start; of all sidecars that are damaged, since their photos are not looked into
/// again, and nobody else would tell.
extension LeftOut {
  /// So many are kept; of the others photos are looked into again.
  private static let keptLimit = 1_000
  /// Between the fields of a line; no path has one.
  private static let tab: Character = "\t"

  /// What an earlier run kept. What another version could do nothing with this one may be able to;
  /// but for sidecars, which are read with their photos alone.
  init(kept text: String) {
    let lines = text.split(separator: "\n")
    let isOfThisVersion = lines.first.map(String.init) == Introspection.version
    for line in lines.dropFirst() {
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let code = Reason.Code(rawValue: fields[2]),
        isOfThisVersion || code == .sidecarUnreadable
      else { continue }
      unusable[ExactText(fields[0])] = IndexJob.Unusable(contentVersion: fields[1], reason: Reason(code, fields[3]))
    }
  }

  /// For ``init(kept:)``; empty where nothing is to be kept.
  /// - Parameter isFar: Whether fetching files costs more than looking into them. Into a file of
  ///   this machine it costs little, and somebody may have had it looked into anew by a restart.
  func kept(isFar: Bool) -> String {
    let unusable = isFar ? unusable : damagedSidecars
    func isField(_ text: String) -> Bool { !text.utf8.contains { $0 < 0x20 } }
    let lines = unusable.sorted { $0.key.text < $1.key.text }.prefix(Self.keptLimit).compactMap {
      file, why -> String? in
      guard why.late == nil, isField(file.text), isField(why.contentVersion), isField(why.reason.text) else {
        return nil
      }
      return [file.text, why.contentVersion, why.reason.code.rawValue, why.reason.text].joined(
        separator: String(Self.tab))
    }
    return lines.isEmpty ? "" : ([Introspection.version] + lines).joined(separator: "\n")
  }
}
