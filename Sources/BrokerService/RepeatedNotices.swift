/// What clients and files cause in the log: the first of a kind at once, then, a minute later, how
/// many more like it there were. Whoever repeats a mistake, or makes many, fills no disk by it.
final class RepeatedNotices {
  /// How long a line stands for all that are like it.
  static let interval = Duration.seconds(60)
  /// Kinds of one user or library in that time; what is of yet another kind is counted, and not shown.
  static let kindsPerSubject = 32

  /// Whom or what a line is about. No subject uses up the lines of another one.
  enum Subject: Hashable {
    case user(UInt32)
    case library(String)

    fileprivate var field: String {
      switch self {
      case .user(let uid): "uid=\(uid)"
      case .library(let name): "library=\(Log.quoted(name))"
      }
    }
  }

  private let write: (String) -> Void
  private let schedule: (Duration, @escaping () -> Void) -> Void
  /// How often each line was left out since it was written.
  private var repeated: [Subject: [String: Int]] = [:]
  private var beyond: [Subject: Int] = [:]

  /// - Parameters:
  ///   - write: Takes one line.
  ///   - schedule: Runs something later, on this thread.
  init(write: @escaping (String) -> Void, schedule: @escaping (Duration, @escaping () -> Void) -> Void) {
    self.write = write
    self.schedule = schedule
  }

  /// Notes something that happened.
  ///
  /// - Parameter count: How often; said where it was more than once.
  func note(_ message: String, of subject: Subject, _ fields: KeyValuePairs<String, String> = [:], count: Int = 1) {
    let line = "\(message) \(subject.field)" + Log.text(of: fields)
    if repeated.isEmpty { schedule(Self.interval) { [weak self] in self?.flush() } }
    if let times = repeated[subject]?[line] {
      repeated[subject]?[line] = times + count
    } else if repeated[subject, default: [:]].count >= Self.kindsPerSubject {
      beyond[subject, default: 0] += count
    } else {
      repeated[subject, default: [:]][line] = 0
      write(count == 1 ? line : "\(line) count=\(count)")
    }
  }

  /// Says how many more there were, and begins anew.
  func flush() {
    let ended = repeated
    let others = beyond
    repeated = [:]
    beyond = [:]
    for (_, lines) in ended {
      for (line, times) in lines where times > 0 { write("\(times) more like it: \(line)") }
    }
    for (subject, times) in others { write("\(times) more of other kinds: \(subject.field)") }
  }
}
