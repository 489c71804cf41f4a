package import Catalogue

/// One edit of a grant, from the decision to the commit.
final class GrantEdit {
  enum SelectionChange {
    case none
    /// Removing wins over adding.
    case edit(adding: Selection, removing: Selection)
    /// The complete new selection.
    case replace(Selection)
    /// Empties the selection. Every edit that results in `notDetermined` becomes this, unless it
    /// keeps the selection.
    case clear
  }

  let decider: Decider
  /// For the record, such as `allow` or `revoke`.
  let action: String
  /// Applied several times, to the record in force and to the settled one. It must have no side
  /// effects and give the same result each time.
  let change: (inout GrantRecord) -> Void
  var selection: SelectionChange
  /// Whether it is no decision if the selection stays the same.
  var isOfSelectionOnly = false
  /// Whether it is no decision if all its settings are in force and stored, as when a file is
  /// applied again.
  var mayRestate = false
  /// Whether an edit to `notDetermined` keeps the selection, as a suggestion (R160).
  var keepsSelection = false
  /// Whether owners stop knowing the app by this grant; only with an edit to `notDetermined`.
  var endsNote = false
  /// The decision that this edit undoes, for the record.
  let undoes: UInt64?
  /// The words of the answered prompt, for the record.
  let words: ShownWords?
  let completion: Completion<GrantOutcome>
  /// Whether a person chose photos by it, now and not in a file or a rule.
  var isPersonsChoice: Bool {
    switch selection {
    case .edit, .replace: decider.source == .prompt || decider.source == .settings
    case .none, .clear: false
    }
  }
  /// The batch whose other edits share the commit, until it is over. It holds the edits. Nil: a
  /// single edit.
  var batch: GrantBatch?
  /// Assets that are invisible from the decision on, before the commit.
  var held: Selection?
  var cleared: Selection?
  /// The app's own additions when the decision was planned, which join the selection if it is the
  /// first decision at `readWrite`.
  var joined: Selection?
  var narrows = false
  /// Whether the app had the access that was removed; for the receipt.
  var tookAccess = false
  var effect = NarrowingEffect()

  init(
    decider: Decider, action: String, undoes: UInt64? = nil, words: ShownWords? = nil,
    selection: SelectionChange = .none,
    change: @escaping (inout GrantRecord) -> Void,
    completion: @escaping Completion<GrantOutcome>
  ) {
    self.decider = decider
    self.action = action
    self.undoes = undoes
    self.words = words
    self.selection = selection
    self.change = change
    self.completion = completion
  }
}

/// The result of an edit.
package struct GrantOutcome {
  package let grant: GrantState
  /// Newly selected assets.
  package var added: Selection
  package var removed: Selection
  package var effect: NarrowingEffect
  /// Whether the edit removed access.
  package var narrowed: Bool
  /// The number of the recorded decision.
  package var decision: UInt64?
}

/// The connections, streams and replies that a restriction ended (R134).
package struct NarrowingEffect: Sendable, Equatable {
  /// Connections that were using the grant.
  package var connections: Int
  /// Streams that were stopped.
  package var streams: Int
  /// Replies that were dropped before sending.
  package var dropped: Int
  /// Withdrawn assets that pickers had given, counted for each app and library.
  package var picks: Int

  package init(connections: Int = 0, streams: Int = 0, dropped: Int = 0, picks: Int = 0) {
    self.connections = connections
    self.streams = streams
    self.dropped = dropped
    self.picks = picks
  }

  static func + (a: Self, b: Self) -> Self {
    Self(
      connections: a.connections + b.connections, streams: a.streams + b.streams, dropped: a.dropped + b.dropped,
      picks: a.picks + b.picks)
  }
}
