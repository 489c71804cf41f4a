import CLinux
import Glibc
import Monitor
package import Supervisor
import Synchronization
package import UnixSocket

/// Asks a library's worker for facts, thumbnails and previews.
///
/// Calls block and run one at a time: make them on worker threads. The worker is a locked-down
/// process, started at the first call and after each end. Its answers are validated as hostile
/// input. If it meets a video, it answers that only the worker with libav can read this file; that
/// one is another process, started at the first such file.
package final class MediaClient: Sendable {
  private let pictures: Supervisor
  private let videos: Supervisor
  private let programs: [String]
  private let limits: MediaAllowance
  private let sequence = Atomic<UInt64>(1)

  /// - Parameter folder: The absolute path of the folder of `photobroker-media` and
  ///   `photobroker-video`; they need not exist.
  package init(programs folder: String, limits: MediaAllowance = MediaAllowance()) {
    programs = ["photobroker-media", "photobroker-video"].map { folder + "/" + $0 }
    self.limits = limits
    pictures = Self.supervisor(of: programs[0])
    videos = Self.supervisor(of: programs[1])
  }

  private static func supervisor(of path: String) -> Supervisor {
    var options = ChildOptions(path: path)
    options.openFiles = 64
    // Large photos and new folders take long, and the broker itself takes precedence.
    options.niceness = 5
    // Pictures can be made again.
    options.isFirstToEnd = true
    // Each decoding thread's malloc arena would keep memory for good.
    options.environment["MALLOC_ARENA_MAX"] = "2"
    return Supervisor(options, policy: .ofFileReaders) { connection in
      guard let answer = try Exchange.ask(connection, "ping", sequence: 0) else { throw AnswerError("greeting") }
      guard answer.status == .ok, answer.fields.isEmpty else { throw AnswerError("greeting") }
    }
  }

  deinit { stop() }

  /// The reason why the worker cannot be asked, with the packages to install; nil if it can. For
  /// the owner's status page.
  package var absence: MediaError? {
    programs.allSatisfy { Glibc.access($0, X_OK) == 0 } ? nil : .missing(cause: errno)
  }

  /// The state of the process that reads pictures.
  package var status: Supervisor.Status { pictures.status }

  /// Ends the worker for good.
  package func stop() {
    pictures.stop()
    videos.stop()
  }

  /// Reads a file's facts.
  ///
  /// - Parameters:
  ///   - input: A sealed memory file, or any readable and seekable descriptor; borrowed.
  ///   - sidecar: An XMP document whose values win over the file's; borrowed.
  /// - Throws: `unavailable`, `busy`, `poison`, `stopped`. A damaged file is no error: see
  ///   `MediaFacts.problems`.
  package func facts(
    of input: borrowing FileDescriptor, sidecar: borrowing FileDescriptor? = nil
  ) throws(MediaError) -> MediaFacts {
    let hasSidecar: Bool
    var descriptors = try Self.duplicate(input)
    switch sidecar {
    case .some(let document):
      hasSidecar = true
      descriptors.append(contentsOf: try Self.duplicate(document))
    case .none: hasSidecar = false
    }
    return try facts(hasSidecar ? "facts-sidecar" : "facts", descriptors)
  }

  /// Tells by a file's first bytes whether it is a photo or a video, and its type. No decoder runs,
  /// so this also answers for a file that ended the worker.
  package func signature(of input: borrowing FileDescriptor) throws(MediaError) -> MediaFacts {
    try facts("signature", Self.duplicate(input))
  }

  private func facts(_ request: String, _ descriptors: borrowing OwnedDescriptors) throws(MediaError) -> MediaFacts {
    try call(request, descriptors, limits.factsDeadline) { (answer) throws(AnswerError) in
      guard answer.status == .ok else { throw AnswerError("status") }
      return try MediaFacts(answer)
    }
  }

  /// Reads the facts of a remote file from its available parts.
  ///
  /// - Parameters:
  ///   - input: A memory file of the whole file's size that cannot shrink and is not written
  ///     meanwhile.
  ///   - parts: The available ranges: ascending, not adjacent, at most ``partLimit``, the first one
  ///     from 0.
  /// - Throws: as ``facts(of:sidecar:)``.
  package func facts(
    ofParts input: borrowing FileDescriptor, byteCount: Int, parts: [Range<Int>],
    sidecar: borrowing FileDescriptor? = nil
  ) throws(MediaError) -> PartialFacts {
    var descriptors = try Self.duplicate(input)
    switch sidecar {
    case .some(let document): descriptors.append(contentsOf: try Self.duplicate(document))
    case .none: break
    }
    let named = parts.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    return try call("facts-parts \(named)", descriptors, limits.factsDeadline) {
      (answer) throws(AnswerError) in
      try PartialFacts(answer, byteCount: byteCount)
    }
  }

  /// The greatest number of parts.
  package static let partLimit = 12

  /// Makes a thumbnail of a picture, of a raw file's largest preview, or of a video's poster frame.
  ///
  /// - Parameters:
  ///   - input: As for `facts`.
  ///   - isWanted: Called at intervals. False cancels, and kills the worker if it takes longer than
  ///     ``MediaAllowance/patience``.
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
      // After sealing, nobody can change the checked bytes, not even the worker.
      guard clinux_seal(output.number) >= 0, ThumbnailOutcome.isIntact(output.number, byteCount, request.encoding)
      else {
        throw .poison("made the media worker write an invalid thumbnail")
      }
      return Thumbnail(
        descriptor: output, byteCount: byteCount, width: width, height: height, encoding: request.encoding)
    }
  }

  /// Makes a small preview of a video's beginning. It takes seconds: use a separate client, so that
  /// thumbnails do not wait.
  ///
  /// - Parameters: As for `thumbnail`.
  /// - Throws: as `thumbnail`; `refused` if the file is no video.
  package func preview(
    of input: borrowing FileDescriptor, _ request: PreviewRequest = PreviewRequest(), isWanted: () -> Bool = { true }
  ) throws(MediaError) -> Preview {
    guard request.isValid else { throw .badSize }
    let output = try Self.output("preview")
    var descriptors = try Self.duplicate(input)
    descriptors.append(contentsOf: try Self.duplicate(output))
    if let absence { throw absence }
    let outcome = try ask(
      videos, "preview \(request.pixels) \(request.seconds)", descriptors, limits.previewDeadline, isWanted
    ) {
      (answer) throws(AnswerError) in try PreviewOutcome(answer, request)
    }
    switch outcome {
    case .refused(let problem): throw .refused(problem)
    case .made(let width, let height, let milliseconds, let byteCount):
      guard byteCount <= limits.previewBytes else { throw .refused(.tooLarge) }
      guard clinux_seal(output.number) >= 0, PreviewCheck.isIntact(output.number, byteCount) else {
        throw .poison("made the media worker write an invalid preview")
      }
      return Preview(descriptor: output, byteCount: byteCount, width: width, height: height, milliseconds: milliseconds)
    }
  }

  private static func output(_ name: String) throws(MediaError) -> FileDescriptor {
    let number = clinux_memory_file(name)
    guard number >= 0 else { throw .descriptors(cause: -number) }
    return FileDescriptor(owning: number)
  }

  private func call<R>(
    _ request: String, _ descriptors: borrowing OwnedDescriptors, _ deadline: Duration,
    _ isWanted: () -> Bool = { true },
    _ read: (AnswerReader) throws(AnswerError) -> R
  ) throws(MediaError) -> R {
    if let absence { throw absence }
    let end = MonotonicTime.after(deadline)
    let told = try ask(pictures, request, descriptors, deadline, isWanted) { (answer) throws(AnswerError) -> R? in
      guard answer.status == .video else { return try read(answer) }
      guard answer.fields.isEmpty else { throw AnswerError("fields") }
      return nil
    }
    if let told { return told }
    return try ask(videos, request, descriptors, end.remaining, isWanted, read)
  }

  private func ask<R>(
    _ supervisor: Supervisor, _ request: String, _ descriptors: borrowing OwnedDescriptors, _ deadline: Duration,
    _ isWanted: () -> Bool, _ read: (AnswerReader) throws(AnswerError) -> R
  ) throws(MediaError) -> R {
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
        if answer.isLast { supervisor.awaitAnnouncedEnd() }
        return result
      }
    } catch {
      throw Self.translated(error, isSent: isSent)
    }
  }

  private static func translated(_ error: SupervisorError, isSent: Bool) -> MediaError {
    switch error.code {
    case .stopped, .abandoned: .stopped
    case .unavailable: .failing(error.message, retryAfter: error.retryAfter)
    case .startFailed: .failing(error.message, retryAfter: nil)
    case .deadlineExceeded: isSent ? .poison("took the media worker longer than its timeout", isLate: true) : .busy
    // The kernel may have killed the worker for memory, on an innocent file.
    case .childExited where isSent && error.ended == .killed(signal: SIGKILL):
      .poison("was being read when the media worker was killed", isLate: true)
    case .childExited: isSent ? .poison("made the media worker exit") : .failing(error.message, retryAfter: nil)
    case .protocolViolation:
      isSent ? .poison("made the media worker send an invalid answer") : .failing(error.message, retryAfter: nil)
    }
  }

  private static func duplicate(_ descriptor: borrowing FileDescriptor) throws(MediaError) -> OwnedDescriptors {
    do {
      return OwnedDescriptors(try descriptor.duplicate())
    } catch {
      throw .descriptors(cause: error.cause)
    }
  }
}
