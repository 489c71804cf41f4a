import BrokerInterface

/// What the scripted person of a sandbox does without being asked.
struct SandboxAction {
  enum Verb: String, CaseIterable {
    /// Full access.
    case allow
    /// Access to a selection, which stays as it is.
    case limit
    case deny
    /// Nothing is decided any more.
    case forget
    /// Assets join the selection.
    case select
    /// Assets leave the selection.
    case unselect
    case revoke
    case pause
    case resume
    /// The clock moves on.
    case advance
    /// The clock is set.
    case setClock

    /// Whether it is about one level of access, which may be left out.
    var takesLevel: Bool {
      switch self {
      case .allow, .limit, .deny, .forget, .revoke, .pause, .resume: true
      case .select, .unselect, .advance, .setClock: false
      }
    }
  }

  /// What an app does first.
  enum Moment: String, CaseIterable {
    /// It is known to the broker.
    case introduces
    /// It asked for something.
    case asks
    /// It was given metadata.
    case fetches
    /// It was given a file or a thumbnail.
    case opens
  }

  var verb: Verb
  /// What the app's manifest calls itself. Nil only for what concerns the clock.
  var app: String?
  /// addOnly or readWrite. Nil: readWrite for what decides; both for revoke, pause and resume.
  var level: String?
  var selector: Admin.Selector?
  /// For `advance`, in microseconds.
  var advance: Int64 = 0
  /// For `setClock`, in microseconds since 1970.
  var clock: Int64 = 0
  /// Nil: counted from when the library is online.
  var on: Moment?
  /// How long after that, in seconds of the real clock.
  var after: Double = 0
}
