import CLinux
import Glibc
import Monitor
package import Supervisor
import Synchronization
package import UnixSocket

/// Asks the media worker of one library for facts and thumbnails.
///
/// Calls block, one file at a time: for worker threads. The worker is a process of its own, locked
/// down, started at the first call and again after it ended; its answers are checked like any
/// stranger's.
package final class MediaClient: Sendable {
  private let supervisor: Supervisor
  private let path: String
  private let limits: MediaAllowance
  private let sequence = Atomic<UInt64>(1)

  /// - Parameter path: The absolute path of `photobroker-media`; need not exist.
  package init(worker path: String, limits: MediaAllowance = MediaAllowance()) {
    self.path = path
    self.limits = limits
    var options = ChildOptions(path: path)
    options.openFiles = 64
    // A picture of a large photo takes a while, and so do the facts of a new folder's files: the
    // broker itself goes first.
    options.niceness = 5
    // And stays: a picture is made again.
    options.isFirstToEnd = true
    // Arenas of threads that decode one file after another are memory that never comes back.
    options.environment["MALLOC_ARENA_MAX"] = "2"
    // Hostile files come in dozens: each costs one start, and innocent ones must not wait long for them.
    var policy = RestartPolicy()
    policy.firstPause = .milliseconds(5)
    policy.longestPause = .milliseconds(500)
    policy.failureLimit = 100
    policy.coolDown = .seconds(5)
    supervisor = Supervisor(options, policy: policy) { connection in
      guard let answer = try Exchange.ask(connection, "ping", sequence: 0) else { throw AnswerError("greeting") }
      guard answer.status == .ok, answer.fields.isEmpty else { throw AnswerError("greeting") }
    }
  }

  deinit { supervisor.stop() }

  /// Why nothing can be asked, or nil: for the owner's status page. Says what to install.
  package var absence: MediaError? { Glibc.access(path, X_OK) == 0 ? nil : .missing(cause: errno) }

  /// What the worker's process does.
  package var status: Supervisor.Status { supervisor.status }

  /// The worker's last error output: hostile input, for the owner's eyes.
  package var errorLines: [String] { supervisor.errorLines }

  /// Ends the worker for good.
  package func stop() { supervisor.stop() }

  /// What a file says about itself.
  ///
  /// - Parameter input: A sealed memory file, or any seekable descriptor that may be read; the caller keeps it.
  /// - Parameter sidecar: An XMP document that wins over the file for what it states; it is borrowed too.
  /// - Parameter nameExtension: The file name's, without the dot; decides nothing but `mislabelled`.
  /// - Throws: `unavailable`, `busy`, `poison`, `stopped`. A damaged file is no error: see `MediaFacts.problems`.
  package func facts(
    of input: borrowing FileDescriptor, nameExtension: String, sidecar: borrowing FileDescriptor? = nil
  ) throws(MediaError) -> MediaFacts {
    let hasSidecar: Bool
    var descriptors = try Self.duplicate(input)
    switch sidecar {
    case .some(let document):
      hasSidecar = true
      descriptors.append(contentsOf: try Self.duplicate(document))
    case .none: hasSidecar = false
    }
    let request = "\(hasSidecar ? "facts-sidecar" : "facts") \(Self.plain(nameExtension))"
    return try call(request, descriptors, limits.factsDeadline) { (answer) throws(AnswerError) in
      guard answer.status == .ok else { throw AnswerError("status") }
      return try MediaFacts(answer)
    }
  }

  /// What a far file says about itself, of which only some bytes are there.
  ///
  /// - Parameters:
  ///   - input: A memory file of the whole file's size that cannot shrink, and that nobody writes
  ///     to meanwhile.
  ///   - parts: What is there: ascending, apart from each other, at most ``partLimit``, the first
  ///     one from the file's beginning.
  /// - Throws: as ``facts(of:nameExtension:sidecar:)``.
  package func facts(
    ofParts input: borrowing FileDescriptor, byteCount: Int, parts: [Range<Int>], nameExtension: String,
    sidecar: borrowing FileDescriptor? = nil
  ) throws(MediaError) -> PartialFacts {
    var descriptors = try Self.duplicate(input)
    switch sidecar {
    case .some(let document): descriptors.append(contentsOf: try Self.duplicate(document))
    case .none: break
    }
    let named = parts.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    return try call("facts-parts \(Self.plain(nameExtension)) \(named)", descriptors, limits.factsDeadline) {
      (answer) throws(AnswerError) in
      try PartialFacts(answer, byteCount: byteCount)
    }
  }

  /// The most parts that can be told of.
  package static let partLimit = 12

  /// A thumbnail of a picture, of a raw file's largest preview, or of a video's poster frame.
  ///
  /// - Parameters:
  ///   - input: As for `facts`.
  ///   - isWanted: Asked now and then; false ends it, and the worker where that is at it for longer
  ///     than ``MediaAllowance/patience``.
  /// - Throws: `refused`, `invalidRequest`, `unavailable`, `busy`, `poison`, `stopped`.
  package func thumbnail(
    of input: borrowing FileDescriptor, _ request: ThumbnailRequest, isWanted: () -> Bool = { true }
  ) throws(MediaError) -> Thumbnail {
    guard request.isValid else { throw .badSize }
    let output = try Self.output("thumbnail")
    var descriptors = try Self.duplicate(input)
    descriptors.append(contentsOf: try Self.duplicate(output))
    let words = "thumbnail \(request.encoding.rawValue) \(request.mode.rawValue) \(request.width) \(request.height)"
    let outcome = try call(words, descriptors, limits.thumbnailDeadline, isWanted) { (answer) throws(AnswerError) in
      try ThumbnailOutcome(answer, request)
    }
    switch outcome {
    case .refused(let problem): throw .refused(problem)
    case .made(let width, let height, let byteCount):
      guard byteCount <= limits.thumbnailBytes else { throw .refused(.tooLarge) }
      // After sealing nobody, the worker included, can change what is checked here.
      guard clinux_seal(output.number) >= 0, ThumbnailOutcome.isIntact(output.number, byteCount, request.encoding)
      else {
        throw .poison("made the media worker write something that is no plain thumbnail")
      }
      return Thumbnail(
        descriptor: output, byteCount: byteCount, width: width, height: height, encoding: request.encoding)
    }
  }

  /// The beginning of a video, small. It takes seconds: ask a client of its own, lest thumbnails wait.
  ///
  /// - Parameters: As for `thumbnail`.
  /// - Throws: as `thumbnail`; `refused` for what is no video.
  package func preview(
    of input: borrowing FileDescriptor, _ request: PreviewRequest = PreviewRequest(), isWanted: () -> Bool = { true }
  ) throws(MediaError) -> Preview {
    guard request.isValid else { throw .badSize }
    let output = try Self.output("preview")
    var descriptors = try Self.duplicate(input)
    descriptors.append(contentsOf: try Self.duplicate(output))
    let outcome = try call(
      "preview \(request.pixels) \(request.seconds)", descriptors, limits.previewDeadline, isWanted
    ) {
      (answer) throws(AnswerError) in try PreviewOutcome(answer, request)
    }
    switch outcome {
    case .refused(let problem): throw .refused(problem)
    case .made(let width, let height, let milliseconds, let byteCount):
      guard byteCount <= limits.previewBytes else { throw .refused(.tooLarge) }
      guard clinux_seal(output.number) >= 0, PreviewCheck.isIntact(output.number, byteCount) else {
        throw .poison("made the media worker write something that is no plain preview")
      }
      return Preview(descriptor: output, byteCount: byteCount, width: width, height: height, milliseconds: milliseconds)
    }
  }

  private static func output(_ name: String) throws(MediaError) -> FileDescriptor {
    let number = clinux_memory_file(name)
    guard number >= 0 else { throw .descriptors(cause: -number) }
    return FileDescriptor(owning: number)
  }

  /// One request and its answer, translated errors included.
  private func call<R>(
    _ request: String, _ descriptors: borrowing OwnedDescriptors, _ deadline: Duration,
    _ isWanted: () -> Bool = { true },
    _ read: (AnswerReader) throws(AnswerError) -> R
  ) throws(MediaError) -> R {
    if let absence { throw absence }
    let number = sequence.add(1, ordering: .relaxed).newValue
    var isSent = false
    do {
      return try supervisor.withConnection(deadline: deadline, isWanted: isWanted) { connection in
        isSent = true
        guard
          let answer = try Exchange.ask(
            connection, request, descriptors: descriptors, sequence: number, patience: limits.patience,
            isWanted: isWanted)
        else { throw EndOfAnswers() }
        let result = try read(answer)
        if answer.isLast { awaitEnd(connection) }
        return result
      }
    } catch {
      throw Self.translated(error, isSent: isSent)
    }
  }

  /// Waits until a worker that has announced its end is gone, lest the next request goes to a
  /// closed door and its file is blamed.
  private func awaitEnd(_ connection: BlockingConnection) {
    _ = try? connection.receive(deadline: .after(.seconds(1)))
    for _ in 0..<500 {
      guard case .running = supervisor.status else { return }
      usleep(1_000)
    }
  }

  private static func translated(_ error: SupervisorError, isSent: Bool) -> MediaError {
    switch error.code {
    case .stopped, .abandoned: .stopped
    case .unavailable: .failing(error.message, retryAfter: error.retryAfter)
    case .startFailed: .failing(error.message, retryAfter: nil)
    case .deadlineExceeded: isSent ? .poison("took the media worker longer than its deadline", isLate: true) : .busy
    // What an innocent file's worker ends by where the machine has no memory left.
    case .childExited where isSent && error.ended == .killed(signal: SIGKILL):
      .poison("was being read when the media worker was killed", isLate: true)
    case .childExited: isSent ? .poison("ended the media worker") : .failing(error.message, retryAfter: nil)
    case .protocolViolation: isSent ? .poison("brought a nonsensical answer") : .failing(error.message, retryAfter: nil)
    }
  }

  private static func duplicate(_ descriptor: borrowing FileDescriptor) throws(MediaError) -> OwnedDescriptors {
    do {
      return OwnedDescriptors(try descriptor.duplicate())
    } catch {
      throw .descriptors(cause: error.cause)
    }
  }

  /// An extension as the protocol takes it; anything unusual says nothing.
  private static func plain(_ nameExtension: String) -> String {
    let lower = nameExtension.lowercased()
    let isPlain = lower.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
    return isPlain && (1...16).contains(lower.utf8.count) ? lower : "-"
  }
}
