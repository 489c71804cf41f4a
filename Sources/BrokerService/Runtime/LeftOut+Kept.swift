import Broker
import PhotoModel

/// What of far files is kept over a restart: one that is damaged would be read as a whole again at each start.
extension LeftOut {
  /// So many are kept; the others are looked into again.
  private static let keptLimit = 1_000
  /// Between the fields of a line; no path has one.
  private static let tab: Character = "\t"

  /// What an earlier run kept, unless that was another version's, which may have been able to do less.
  init(kept text: String) {
    let lines = text.split(separator: "\n")
    guard lines.first.map(String.init) == Introspection.version else { return }
    for line in lines.dropFirst() {
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let code = Reason.Code(rawValue: fields[2]) else { continue }
      unusable[ExactText(fields[0])] = IndexJob.Unusable(contentVersion: fields[1], reason: Reason(code, fields[3]))
    }
  }

  /// For ``init(kept:)``; empty where nothing is to be kept.
  var kept: String {
    func isField(_ text: String) -> Bool { !text.utf8.contains { $0 < 0x20 } }
    let lines = unusable.sorted { $0.key.text < $1.key.text }.prefix(Self.keptLimit).compactMap { file, why -> String? in
      guard why.late == nil, isField(file.text), isField(why.contentVersion), isField(why.reason.text) else { return nil }
      return [file.text, why.contentVersion, why.reason.code.rawValue, why.reason.text].joined(separator: String(Self.tab))
    }
    return lines.isEmpty ? "" : ([Introspection.version] + lines).joined(separator: "\n")
  }
}
