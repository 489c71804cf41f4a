import CLinux
import Glibc
package import Monitor
package import UnixSocket

/// A running, confined and watched program with a socket to it.
///
/// It has its own session, and no inherited descriptors or environment. It cannot gain privileges,
/// make sockets to other processes, or reach this process by signal, debugger or limit. It is
/// killed at its deadline, when this object is released, and when this process ends. Thread-safe.
package final class ChildProcess: Sendable {
  private let watch: ChildWatch
  /// For messages and tests; signals use the pidfd.
  package let pid: Int32

  private init(watch: ChildWatch, pid: Int32) {
    self.watch = watch
    self.pid = pid
  }

  deinit { dismiss() }

  /// Starts a program and returns after its exec.
  ///
  /// - Throws: `startFailed`.
  package static func start(_ options: ChildOptions) throws(SupervisorError) -> ChildProcess {
    var options = options
    do { try options.prepare?(&options) } catch { throw .notPrepared(error) }
    let prepared = options
    do {
      return try SocketPair().split { ours, theirs in try start(prepared, ours, theirs) }
    } catch let error as SupervisorError {
      throw error
    } catch {
      throw .startFailed("making its socket", cause: (error as? UnixSocketError)?.cause ?? 0)
    }
  }

  private static func start(
    _ options: ChildOptions, _ ours: consuming FileDescriptor, _ theirs: consuming FileDescriptor
  ) throws -> ChildProcess {
    guard let wanted = options.scratch else { return try start(options, in: nil, ours, theirs) }
    let scratch: ScratchFolder
    do throws(SupervisorError) { scratch = try ScratchFolder(wanted) } catch {
      // A full disk does not prevent the start.
      options.journal?.childNoted("It has no folder of its own: \(error.message)", 0)
      return try start(options, in: nil, ours, theirs)
    }
    var options = options
    options.environment["TMPDIR"] = scratch.path
    options.files?.writable.append(scratch.path)
    do { return try start(options, in: scratch, ours, theirs) } catch {
      scratch.remove()
      throw error
    }
  }

  private static func start(
    _ options: ChildOptions, in scratch: ScratchFolder?, _ ours: consuming FileDescriptor,
    _ theirs: consuming FileDescriptor
  ) throws -> ChildProcess {
    var readerNumber: Int32 = -1
    var writerNumber: Int32 = -1
    let result = clinux_output_pipe(&readerNumber, &writerNumber)
    guard result >= 0 else { throw SupervisorError.startFailed("making a pipe", cause: -result) }
    let errors = FileDescriptor(owning: readerNumber)
    let errorsWriter = FileDescriptor(owning: writerNumber)
    let wake = try FileDescriptor(result: clinux_eventfd(), of: "Making an event counter")
    let connection = try BlockingConnection(ours)

    let ruleset = try options.files?.ruleset()
    let socketNumber = theirs.number
    let errorsNumber = errorsWriter.number
    let rulesetNumber = ruleset?.contents.numbers.first ?? -1
    let spawn: @Sendable () -> clinux_spawn_result = {
      let result = SpawnArguments(options, socket: socketNumber, errors: errorsNumber, ruleset: rulesetNumber).spawn()
      if result.stage == Int32(CLINUX_SPAWN_DONE.rawValue) { Descendants.didStart(result.pid) }
      return result
    }
    var started = try SpawnThread.shared.run(spawn)
    for pause in crowdedPauses where isCrowded(started) {
      usleep(pause)
      started = try SpawnThread.shared.run(spawn)
    }
    guard started.stage == Int32(CLINUX_SPAWN_DONE.rawValue) else {
      throw SupervisorError.startFailed(stage: started.stage, cause: started.error)
    }
    // Only now, because the spawning thread used these numbers.
    theirs.close()
    errorsWriter.close()
    withExtendedLifetime(ruleset) {}
    let watch = ChildWatch(
      pid: started.pid, process: FileDescriptor(owning: started.pidfd), errors: errors, wake: wake,
      connection: connection,
      output: LineCollector(
        lineLimit: options.errorLineLimit, byteLimit: options.errorLineBytes, keepsFresh: options.journal != nil),
      journal: options.journal, scratch: scratch, shared: SharedMemoryUse(options))
    options.journal?.childStarted(started.pid)
    if started.is_uncounted != 0 {
      options.journal?.childIsUncounted(started.pid)
    } else if options.isolatesProcesses, started.is_unenclosed != 0 {
      options.journal?.childIsUnenclosed(started.pid)
    }
    guard DetachedThread.start({ watch.watch() }) else {
      // Without a watching thread nobody would reap the child.
      watch.kill()
      watch.watch()
      throw SupervisorError.startFailed("starting a thread", cause: 0)
    }
    return ChildProcess(watch: watch, pid: started.pid)
  }

  /// Keeps descriptors sent by peers out of future children, and spares these from closing them.
  /// Call it once, before there are threads.
  package static func keepNumbersForStarts() throws(UnixSocketError) {
    let result = clinux_keep_spawn_numbers()
    guard result >= 0 else { throw .system("Keeping descriptors for the starts of processes", -result) }
  }

  /// Microseconds of delay before each retry, when there are too many processes or namespaces at
  /// the moment.
  private static let crowdedPauses: [UInt32] = [20_000, 100_000, 300_000]

  private static func isCrowded(_ result: clinux_spawn_result) -> Bool {
    result.stage == Int32(CLINUX_SPAWN_NAMESPACES.rawValue)
      || result.stage == Int32(CLINUX_SPAWN_FORK.rawValue) && [EAGAIN, ENOMEM].contains(result.error)
  }

  /// The socket whose other end is the child's descriptor 3. Shut down when the child has ended.
  package var connection: BlockingConnection { watch.connection }

  /// The way it ended; nil while it runs.
  package var exitStatus: ChildExit? { watch.state.withLock { $0.ended } }

  /// The last lines of its error output, oldest first. They are hostile input.
  package var errorLines: [String] { watch.state.withLock { $0.output.lines } }

  /// Whether it was killed at its deadline.
  package var missedDeadline: Bool { watch.state.withLock { $0.missedDeadline } }

  /// Kills it and its process group, without waiting for the end.
  package func kill() { watch.kill() }

  /// Kills a child that is not needed any more.
  package func dismiss() { watch.kill(dismisses: true) }

  /// Sets the moment at which it is killed; `never` cancels.
  package func killAt(_ deadline: MonotonicTime) { watch.killAt(deadline) }

  /// Waits until it has ended and been reaped; nil after the deadline.
  package func waitForExit(until deadline: MonotonicTime) -> ChildExit? {
    watch.state.wait(until: deadline) { $0.ended }
  }
}
