import Broker
import BrokerStore
import Catalogue
import CLinux
import EventLoop
import Glibc
import Limits
import Monitor
import PluginCatalogue
import PluginHost
import Supervisor
package import UnixSocket

/// The daemon: the event loop's thread and everything on it. The actor's executor is the loop, so
/// the compiler checks that nothing of it is touched from another thread.
package actor BrokerServer {
  nonisolated private let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Accept connections for `loop`. Each socket has a thread of its own, so a flood on one does not
  /// delay the other.
  nonisolated private let acceptors: (apps: EventLoop, administration: EventLoop)
  private let configuration: Configuration
  private let log = Log()
  private var core: ServiceCore?
  private var store: SQLiteStore?
  private var isStopping = false

  /// Blocks the signals that `run` waits for. `main` calls it before anything else.
  package static func blockSignals() throws { try EventLoop.block(signals: [SIGTERM, SIGINT, SIGHUP]) }

  /// Forbids core dumps and tracing by programs of the same user, because keys are in this memory.
  /// Large freed buffers go back to the kernel, so that no photo bytes stay.
  package static func protectProcess() throws {
    clinux_keep_no_large_memory()
    guard clinux_set_dumpable(0) == 0 else { throw ServerError("the process cannot be protected from tracing") }
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // Every connection takes two descriptors. With the usual limit of 1,024, one user's apps could
    // keep the owner from connecting.
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  package init(_ configuration: Configuration) throws {
    self.configuration = configuration
    loop = try EventLoop(name: "broker")
    acceptors = (try EventLoop(name: "apps"), try EventLoop(name: "owners"))
  }

  /// Serves until SIGTERM or SIGINT. Blocks the calling thread.
  /// - Throws: the reason for which the daemon cannot start, such as a `StoreError`.
  package nonisolated func run(apps: Listener, administration: Listener) throws {
    let started = StartResult()
    try loop.start()
    for loop in [acceptors.apps, acceptors.administration] { try loop.start() }
    loop.perform { [self] in
      assumeIsolated { server in
        do {
          try server.start(apps: apps, administration: administration)
          started.set(nil)
        } catch {
          started.set(error)
          server.loop.stop()
        }
      }
    }
    loop.waitUntilStopped()
    closeAcceptors()
    for loop in [acceptors.apps, acceptors.administration] { loop.waitUntilStopped() }
    // A thread that hangs in an unresponsive file system keeps the process and its descriptors
    // alive. The listeners are closed here, so that no client waits on them.
    apps.close()
    administration.close()
    if let failure = started.failure { throw failure }
  }

  private func start(apps: Listener, administration: Listener) throws {
    let loop = loop
    try SandboxMark.check(configuration.stateDirectory, isSandbox: configuration.sandbox != nil)
    let (store, kept) = try SQLiteStore.open(directory: configuration.stateDirectory) { loop.perform($0) }
    self.store = store
    var contents = kept
    for remark in contents.remarks { log.notice(remark) }
    for warning in contents.warnings { log.warning(warning) }
    let environment: any Environment = configuration.sandbox.map { SandboxEnvironment($0) } ?? SystemEnvironment()
    if configuration.trustsClock { contents.settings[SettingName.latestTime] = nil }
    let broker = try Broker(contents: contents, store: store, environment: environment)
    broker.administrators.configured.formUnion(configuration.administrators)
    let lag = broker.clock.lag
    if lag >= .seconds(60) {
      log.warning(
        "the clock is behind a time that it has shown before; grants that had ended by that time stay ended",
        [
          "seconds": "\(lag.components.seconds)",
          "advice": "if it was ahead by mistake, start the daemon once with --trust-clock",
        ])
    }
    let log = log
    let finder = PluginFinder(
      directories: configuration.pluginDirectories, host: configuration.programDirectory + "/photobroker-plugin-host",
      networked: configuration.networkedPlugins, trusted: configuration.trustedPlugins,
      state: configuration.stateDirectory,
      runtime: configuration.runtimeDirectory)
    ScratchFolder.clear(finder.scratch)
    let catalogue = PluginCatalogue(
      finder, folder: configuration.stateDirectory + "/plugins"
    ) { plugin, what in
      log.error("a plugin cannot be used", ["plugin": plugin, "reason": what])
    } remark: { plugin, what in
      log.notice("a plugin lacks a limit", ["plugin": plugin, "reason": what])
    }
    let core = try ServiceCore(
      loop: loop, broker: broker, store: store, environment: environment, configuration: configuration, log: log,
      factory: ProcessFactory(configuration, catalogue), catalogue: catalogue, uid: geteuid(),
      backUp: { store.backUp(notes: $0, $1) })
    self.core = core
    Acceptor(apps, endpoint: .apps, entrance: core.connections.entrance, log: log, on: acceptors.apps).open()
    Acceptor(
      administration, endpoint: .administration, entrance: core.connections.entrance, log: log,
      on: acceptors.administration
    ).open()
    try loop.onSignals([SIGTERM, SIGINT, SIGHUP]) { [self] signal in
      assumeIsolated { server in
        if signal == SIGHUP { return }
        server.stop()
      }
    }
    tick()
    if configuration.sandbox != nil {
      // A killed parent must not leave its throw-away broker behind.
      _ = clinux_set_parent_death_signal(SIGTERM)
      log.notice("this is a sandbox: its clock is set by hand and its keys are predictable")
    }
    if !configuration.trustedPlugins.isEmpty {
      log.notice(
        "trusted plugins run inside of the daemon: a crash of one ends the daemon",
        ["plugins": configuration.trustedPlugins.sorted().joined(separator: " ")])
    }
    tellUnknownPlugins(catalogue)
    if OpenFiles.connections < ServiceLimits.connections {
      log.warning(
        "the limit of open files is low, so apps have few connections; raise it (LimitNOFILE= of a unit, ulimit -n) "
          + "and restart",
        ["files": "\(OpenFiles.limit)", "connections": "\(OpenFiles.connections)"])
    }
    if !FileReach.isSupported {
      log.notice(
        "this kernel has no Landlock: a plugin's process can read and write what the broker's user can, the broker's "
          + "state too"
      )
    }
    log.info(
      "serving",
      [
        "version": Product.version, "uid": "\(geteuid())", "libraries": "\(contents.libraries.count)",
        "separation": Separation.atStart(broker: geteuid(), owners: Set(contents.libraries.map(\.record.owner))),
      ])
  }

  /// Logs options that name an unknown plugin: a typing error, or a plugin that is not installed
  /// yet.
  private func tellUnknownPlugins(_ catalogue: PluginCatalogue) {
    let advice = "see photobroker plugin list; the option takes effect once the plugin is installed"
    for (option, names) in [("--network", configuration.networkedPlugins), ("--trust", configuration.trustedPlugins)] {
      for name in names.sorted() where !catalogue.isKnown(name) {
        log.error(
          "an option of the daemon names a plugin that is not installed",
          ["argument": "\(option) \(name)", "advice": advice])
      }
    }
    let mapping = configuration.cloudMapping
    do throws(PluginFailure) { _ = try catalogue.program(for: PluginRole(.cloudMapping, mapping)) } catch {
      log.error("there are no cloud identifiers", ["argument": "--cloud-mapping \(mapping)", "reason": error.message])
    }
  }

  /// Withdraws unanswered prompts and closes ended grants, at least once a second. A grant's end is
  /// written on time: otherwise a clock that is set back could make it lie in the future again.
  private func tick(after delay: Duration = .seconds(1)) {
    loop.schedule(after: delay) { [self] in
      assumeIsolated { server in
        let left = server.core.flatMap { core in core.runDue().map { $0 - core.broker.environment.monotonic } }
        server.core?.runtimes.keepCatalogues()
        server.core?.broker.changeLogTrimmer.trim()
        server.tick(after: max(.milliseconds(10), min(left ?? .seconds(1), .seconds(1))))
      }
    }
  }

  /// Refuses further calls, lets the store finish its writes, and ends.
  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    log.info("stopping")
    closeAcceptors()
    _ = core?.runDue()
    core?.broker.clock.note()
    let catalogues = core?.runtimes.cataloguesToKeep() ?? []
    core?.closeAll()
    guard let store else { return loop.stop() }
    guard !catalogues.isEmpty else { return close(store) }
    let (box, loop, parcel) = (LoopConfined(store), loop, LoopConfined(catalogues))
    // Without a thread nothing is written, and the next start reads the rows.
    let hasThread = DetachedThread.start { [self] in
      let written = LoopConfined(parcel.value.map { box.value.write($0.catalogue.compacted()) })
      loop.perform {
        for (kept, written) in zip(parcel.value, written.value) {
          if let written { kept.library.catalogueCopy.keep(written, at: kept.at) }
        }
        self.assumeIsolated { $0.close(box.value) }
      }
    }
    if !hasThread { close(store) }
  }

  nonisolated private func closeAcceptors() {
    for loop in [acceptors.apps, acceptors.administration] { loop.stop() }
  }

  /// Closing waits for the disk, and the loop must not.
  private func close(_ store: SQLiteStore) {
    let (box, loop) = (LoopConfined(store), loop)
    let hasThread = DetachedThread.start {
      box.value.close()
      loop.stop()
    }
    guard hasThread else {
      store.close()
      return loop.stop()
    }
  }
}

package struct ServerError: Error, CustomStringConvertible, Sendable {
  package let description: String
  package init(_ description: String) { self.description = description }
}
