import Catalogue
import Limits

/// What owners have put together of selections that are too long for one call, the oldest first.
/// Nothing is decided by them.
struct SelectionDrafts {
  /// One in the making: of one window of one owner.
  private struct Draft {
    let identifier: AppIdentifier
    let author: UInt32
    var selection: Selection
  }

  private var drafts: [Draft] = []

  /// Begins one; the oldest makes room for it where there are many.
  mutating func begin(_ identifier: AppIdentifier, by author: UInt32, _ selection: Selection) {
    if drafts.count >= BrokerLimits.selectionDrafts { drafts.removeFirst() }
    drafts.append(Draft(identifier: identifier, author: author, selection: selection))
  }

  /// What the author's draft of this name holds; nil where there is none. A draft is its author's alone.
  subscript(identifier: AppIdentifier, by author: UInt32) -> Selection? {
    get { drafts.first { $0.identifier == identifier && $0.author == author }?.selection }
    set {
      guard let index = drafts.firstIndex(where: { $0.identifier == identifier && $0.author == author }) else { return }
      if let newValue { drafts[index].selection = newValue } else { drafts.remove(at: index) }
    }
  }
}
