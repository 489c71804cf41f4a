import BrokerInterface

/// An unprompted action of a sandbox's scripted person.
struct SandboxAction {
  enum Verb: String, CaseIterable {
    /// Gives full access.
    case allow
    /// Limits the app to its present selection.
    case limit
    case deny
    /// Forgets the decision.
    case forget
    case select
    case unselect
    case revoke
    case pause
    case resume
    case advance
    case setClock

    /// Whether the action accepts an access level.
    var takesLevel: Bool {
      switch self {
      case .allow, .limit, .deny, .forget, .revoke, .pause, .resume: true
      case .select, .unselect, .advance, .setClock: false
      }
    }
  }

  /// An app's first step of this kind starts the action's delay.
  enum Moment: String, CaseIterable {
    case introduces
    /// The app asks for access, a selection or a pick.
    case asks
    /// The app gets metadata.
    case fetches
    /// The app gets a file or a rendition.
    case opens
  }

  var verb: Verb
  /// The app's manifest identifier. Nil only for actions on the clock.
  var app: String?
  /// addOnly or readWrite. Nil: readWrite for decisions; both for revoke, pause and resume.
  var level: String?
  var selector: Admin.Selector?
  /// For `advance`, in microseconds.
  var advance: Int64 = 0
  /// For `setClock`, in microseconds since 1970.
  var clock: Int64 = 0
  /// The start of the delay. Nil: when the library is online.
  var on: Moment?
  /// The delay in seconds of the real clock.
  var after: Double = 0
}
