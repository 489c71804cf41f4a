import CLinux
import Cleaning
import Glibc
import UnixSocket

/// The cleaned copy of a file, for people and tests.
enum CleanCopy {
  /// Returns the exit status: 65 if the file cannot be cleaned; then there is no copy.
  static func write(_ path: String, to copy: String, withholding facts: String) -> Int32 {
    guard let withheld = ErasedFacts(text: facts) else {
      CleanProgram.say("photobroker-clean: FACTS is location, captions or location,captions")
      return 64
    }
    let number = clinux_open(path, O_RDONLY, 0)
    guard number >= 0 else { return fail(66, "cannot read \(path)", -number) }
    let input = FileDescriptor(owning: number)
    guard let source = FileSource(descriptor: input.number) else { return fail(66, "\(path) is no file", 0) }
    switch CleaningPlanner.outcome(of: source, withholding: withheld) {
    case .uncleanable(let reason):
      CleanProgram.say("photobroker-clean: \(path) cannot be cleaned: \(reason.explanation) (\(reason.rawValue))")
      return 65
    case .plan(let plan): return write(plan, source, to: copy)
    }
  }

  private struct WriteError: Error { let cause: Int32 }

  private static func write(_ plan: CleaningPlan, _ source: FileSource, to copy: String) -> Int32 {
    let number = clinux_open(copy, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard number >= 0 else { return fail(73, "cannot create \(copy)", -number) }
    let output = FileDescriptor(owning: number)
    do throws(WriteError) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
      defer { buffer.deallocate() }
      var offset = 0
      while offset < source.byteCount {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, source.byteCount - offset)])
        guard source.read(at: offset, into: piece) else { throw WriteError(cause: EIO) }
        try put(UnsafeRawBufferPointer(piece), at: offset, output.number)
        offset += piece.count
      }
      try plan.apply { (offset, bytes) throws(WriteError) in try put(bytes, at: offset, output.number) }
      return 0
    } catch {
      // A copy that is not clean must not stay.
      _ = unlink(copy)
      return fail(74, "cannot write \(copy)", error.cause)
    }
  }

  private static func put(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ output: Int32) throws(WriteError) {
    var done = 0
    while done < bytes.count, let start = bytes.baseAddress {
      let count = pwrite(output, start + done, bytes.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw WriteError(cause: errno) }
      done += count
    }
  }

  private static func fail(_ status: Int32, _ what: String, _ cause: Int32) -> Int32 {
    let reason = cause == 0 ? "" : ": \(String(cString: strerror(cause)))"
    CleanProgram.say("photobroker-clean: \(what)\(reason)")
    return status
  }
}
