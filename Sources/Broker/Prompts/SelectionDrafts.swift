import Catalogue
import Limits

/// Drafts of selections that are too long for one call, oldest first. They decide nothing.
struct SelectionDrafts {
  private struct Draft {
    let identifier: AppIdentifier
    let author: UInt32
    var selection: Selection
  }

  private var drafts: [Draft] = []

  /// Begins a draft; at the limit the oldest is dropped.
  mutating func begin(_ identifier: AppIdentifier, by author: UInt32, _ selection: Selection) {
    if drafts.count >= BrokerLimits.selectionDrafts { drafts.removeFirst() }
    drafts.append(Draft(identifier: identifier, author: author, selection: selection))
  }

  /// The selection of an author's draft; nil if there is none. Other users cannot reach it.
  subscript(identifier: AppIdentifier, by author: UInt32) -> Selection? {
    get { drafts.first { $0.identifier == identifier && $0.author == author }?.selection }
    set {
      guard let index = drafts.firstIndex(where: { $0.identifier == identifier && $0.author == author }) else { return }
      if let newValue { drafts[index].selection = newValue } else { drafts.remove(at: index) }
    }
  }
}
