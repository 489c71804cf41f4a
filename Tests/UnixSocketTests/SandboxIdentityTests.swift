import Foundation
import Glibc
import Testing
import Varlink

@testable import UnixSocket

extension UnixSocketTests {
  /// Real bubblewrap sandboxes as Flatpak makes them, below a scope of the user's service manager.
  @Suite(
    .enabled(if: Sandbox.isPossible, "needs bubblewrap, root, and a hierarchy of control groups that systemd could use")
  )
  struct SandboxIdentityTests {
    private static let viewer = "[Application]\nname=org.example.Viewer\nruntime=x\n"

    @Test func `R123 a Flatpak-like sandbox is recognized if scope and file agree`() throws {
      let sandbox = try Sandbox(scope: "app-flatpak-org.example.Viewer-77.scope", info: Self.viewer)
      let peer = try sandbox.connect()
      #expect(peer.vouched == VouchedIdentity(kind: .flatpak, name: "org.example.Viewer", isForgeableBySameUser: true))
      #expect(peer.uid == 0 && peer.pid > 1, "as it is seen from outside")
    }

    @Test(arguments: [
      (scope: "app-flatpak-org.example.Other-77.scope", info: viewer, hasOwnRoot: true),
      (
        scope: "app-flatpak-org.example.Viewer-77.scope", info: "[Instance]\nname=org.example.Viewer\n",
        hasOwnRoot: true
      ),
      (scope: "app-flatpak-org.example.Viewer-77.scope", info: viewer, hasOwnRoot: false),
      (scope: "app-flatpak-org.example.Viewer-77.scope", info: nil, hasOwnRoot: true),
    ])
    func `if scope and file disagree, it is its user's scope and no Flatpak application`(
      scope: String, info: String?, hasOwnRoot: Bool
    ) throws {
      // Without text the file is a pipe without a writer, and a read of it must not block.
      let sandbox = try Sandbox(scope: scope, info: info, hasOwnRoot: hasOwnRoot)
      let began = ContinuousClock.now
      let peer = try sandbox.connect()
      #expect(peer.vouched == VouchedIdentity(kind: .userUnit, name: scope, isForgeableBySameUser: true))
      #expect(ContinuousClock.now - began < .seconds(20))
    }
  }

  /// A process in a sandbox that connects to a socket and stays.
  final class Sandbox {
    private static let hierarchy =
      access("/sys/fs/cgroup/systemd", W_OK) == 0 ? "/sys/fs/cgroup/systemd" : "/sys/fs/cgroup"
    static let isPossible =
      getuid() == 0 && access("/usr/bin/bwrap", X_OK) == 0 && access(hierarchy + "/cgroup.procs", W_OK) == 0
    private static let counter = Counter()

    private let folder = SocketFolder()
    private let groups: [String]
    private let listener: Listener
    private let child: ChildProcess

    init(scope: String, info: String?, hasOwnRoot: Bool = true) throws {
      let file = folder.file("info")
      if let info { try Data(info.utf8).write(to: URL(fileURLWithPath: file)) } else { mkfifo(file, 0o644) }
      let manager = "\(Self.hierarchy)/user@\(4_000_000 + Self.counter.next()).service"
      groups = ["\(manager)/app.slice/\(scope)", "\(manager)/app.slice", manager]
      listener = try Listener(path: folder.file("socket"), mode: 0o600)
      let root =
        hasOwnRoot
        ? "--ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --bind \(folder.path) \(folder.path)"
        : "--dev-bind / /"
      // bwrap can bind a file below the root only at an existing place; the machine's own root has
      // none.
      let placed = hasOwnRoot ? "--ro-bind \(file) /.flatpak-info" : ""
      child = try ChildProcess([
        "bash", "-c",
        """
        mkdir -p \(groups[0]) && echo $$ > \(groups[0])/cgroup.procs
        exec bwrap --unshare-pid --unshare-ipc --die-with-parent \(root) \(placed) \
          python3 -c 'import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); time.sleep(60)' \
          \(folder.file("socket"))
        """,
      ])
    }

    func connect() throws -> PeerIdentity {
      var poll = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
      Glibc.poll(&poll, 1, 15_000)
      return try #require(try listener.accept()).identified().peer
    }

    deinit {
      child.end()
      // The inner process ends a moment after the outer one.
      for group in groups {
        for _ in 0..<500 where rmdir(group) != 0 && errno == EBUSY { usleep(10_000) }
      }
    }
  }

  final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    func next() -> Int {
      lock.withLock {
        value += 1
        return value
      }
    }
  }
}
