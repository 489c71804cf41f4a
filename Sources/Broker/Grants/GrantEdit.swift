package import Catalogue

/// One edit of a grant, on its way from the decision to the disk.
final class GrantEdit {
  /// What happens to the selection.
  enum SelectionChange {
    case none
    /// Removing wins over adding.
    case edit(adding: Selection, removing: Selection)
    /// This is the selection from now on.
    case replace(Selection)
    /// The selection is forgotten: so it is with every edit that leaves no decision, whatever else that one says of it.
    case clear
  }

  /// What an edit of a selection takes of those in it that are away (``AwayAsset``).
  enum TakenOfAway {
    /// It takes away by what photos are like, which means those too that nobody sees now.
    case all
    /// It names the photos that it takes away, or takes none away.
    case nothing
    case only(AssetNumbers)
  }

  let decider: Decider
  /// For the record: `allow`, `revoke`.
  let action: String
  /// Applied several times, to the state in force and to the settled one: no effects of its own,
  /// same outcome each time.
  let change: (inout GrantRecord) -> Void
  var selection: SelectionChange
  /// Whether it is no decision where the selection stays as it is.
  var isOfSelectionOnly = false
  /// Whether it is no decision where all that it sets is so and kept already, as where a file is applied again.
  var mayRestate = false
  /// What it takes of what is away.
  var takesOfAway = TakenOfAway.all
  /// Whether the library's owners know of the app no more by this grant, which is to leave no decision.
  var endsNote = false
  /// Of what an undo puts back into the selection, what is away: it is selected as soon as it is back.
  var puttingBackAway: [AssetNumber] = []
  /// What of it was put back.
  var putBackAway: [AssetNumber] = []
  /// What of the selection was away, and is in it no more.
  var forgotten: [AssetNumber] = []
  /// The earlier decision that this one takes back, for the record.
  let undoes: UInt64?
  /// What the question said that this answers, for the record.
  let words: ShownWords?
  let completion: (Result<GrantOutcome, BrokerError>) -> Void
  /// Edits that reach the disk with this one or not at all, until that is over: it holds them. Nil: it goes alone.
  var batch: GrantBatch?
  /// What must not be shown from the moment of the decision on, however long the disk takes.
  var held: Selection?
  /// What was in the selection that was forgotten.
  var cleared: Selection?
  /// What the app had added when the decision was planned, where it is the first on reading.
  var joined: Selection?
  var narrows = false
  /// Whether an app had the access that was taken away; for the receipt.
  var tookAccess = false
  var effect = NarrowingEffect()

  init(
    decider: Decider, action: String, undoes: UInt64? = nil, words: ShownWords? = nil,
    selection: SelectionChange = .none,
    change: @escaping (inout GrantRecord) -> Void,
    completion: @escaping (Result<GrantOutcome, BrokerError>) -> Void
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

/// What an edit came down to.
package struct GrantOutcome {
  package let grant: GrantState
  /// Newly selected assets.
  package var added: Selection
  package var removed: Selection
  package var effect: NarrowingEffect
  /// Whether something was taken away.
  package var narrowed: Bool
  /// What was entered as its decision.
  package var decision: UInt64?
}

/// What taking something away met (R134).
package struct NarrowingEffect: Sendable, Equatable {
  /// Connections that were using the grant.
  package var connections: Int
  /// Streams that were stopped.
  package var streams: Int
  /// Replies that were dropped before they left.
  package var dropped: Int
  /// Assets that pickers had given and that are taken back, counted for each app and library.
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
