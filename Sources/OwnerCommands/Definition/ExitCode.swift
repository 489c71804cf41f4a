/// Exit statuses, with the numbers of sysexits.h where it has one.
enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case declined = 1
  case usage = 64
  case badData = 65
  case notFound = 66
  case unavailable = 69
  case internalError = 70
  case cannotCreate = 73
  case failed = 74
  case temporary = 75
  case badReply = 76
  case notPermitted = 77

  /// The description in `photobroker help exit-codes`.
  var meaning: String {
    switch self {
    case .success: "done"
    case .declined: "not done: the question was answered with no"
    case .usage: "the command line is wrong, or needs --yes because there is no terminal"
    case .badData:
      "the broker refused the request, or a file has the wrong content (doctor: the manifest has an error)"
    case .notFound: "no library, app, grant, request, asset, token or file of that name"
    case .unavailable: "the broker cannot be reached, or a part of PhotoBroker is not installed"
    case .internalError: "photobroker call: the method answered with an error that has no number of its own"
    case .cannotCreate: "a file cannot be made; existing files are never overwritten"
    case .failed: "the broker, the disk or another program failed, or the output could not be written"
    case .temporary: "somebody was asked and has not answered; try again later"
    case .badReply: "the broker's answer could not be read"
    case .notPermitted: "you may not do this"
    }
  }

  /// The word in a JSON error.
  var word: String { String(describing: self) }
}
