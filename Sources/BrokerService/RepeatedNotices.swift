/// Log notices that clients and files cause. The first of a kind is written at once; repetitions
/// are counted and written a minute later, so nobody fills the disk with repeated mistakes.
final class RepeatedNotices {
  /// The time in which repetitions of a line are only counted.
  static let interval = Duration.seconds(60)
  /// Kinds of notices that one subject may write in an interval. Further kinds are counted and not
  /// shown.
  static let kindsPerSubject = 32

  /// The subject of a notice. Each subject has its own limits, so none uses up another's.
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
  private var repeated: [Subject: [String: Int]] = [:]
  private var beyond: [Subject: Int] = [:]

  /// - Parameters:
  /// - write: Writes one line.
  /// - schedule: Runs an action after a delay, on this thread.
  init(write: @escaping (String) -> Void, schedule: @escaping (Duration, @escaping () -> Void) -> Void) {
    self.write = write
    self.schedule = schedule
  }

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
