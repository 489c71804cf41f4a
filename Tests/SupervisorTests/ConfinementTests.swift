import Foundation
import Glibc
import Monitor
import Supervisor
import Synchronization
import Testing
import UnixSocket

private struct Place {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "confinement-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.resolvingSymlinksInPath().path
  }

  func write(_ name: String, _ text: String) throws {
    let file = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

private final class Noted: ChildJournal {
  let all = Mutex<[String]>([])
  func childStarted(_ process: Int32) {}
  func childWrote(_ line: String, _ process: Int32) {}
  func childEnded(_ how: String, _ process: Int32) {}
  func childIsUncounted(_ process: Int32) {}
  func childIsUnenclosed(_ process: Int32) {}
  func childNoted(_ what: String, _ process: Int32) { all.withLock { $0.append(what) } }
}

struct ConfinementTests {
  /// Returns the outcome of each of a child's attempts: `done`, or the error number's name.
  private func attempts(_ text: String, _ change: (inout ChildOptions) -> Void = { _ in }) throws -> [String] {
    var options = Script.python(
      """
      import ctypes, errno, os, platform, resource, signal, socket, sys
      libc = ctypes.CDLL(None, use_errno=True)
      def check(result):
          if result < 0: raise OSError(ctypes.get_errno(), "")
      def attempt(run):
          try: run()
          except OSError as error: print(errno.errorcode[error.errno], file=sys.stderr)
          else: print("done", file=sys.stderr)
      \(text)
      """)
    change(&options)
    let child = try ChildProcess.start(options)
    #expect(child.waitForExit(until: .after(.seconds(8))) == .exited(0))
    return child.errorLines
  }

  @Test func `no child makes a socket to another process, and a networked one only network sockets`() throws {
    let text = """
      for family in socket.AF_UNIX, socket.AF_INET: attempt(lambda: socket.socket(family))
      attempt(socket.socketpair)
      attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
      attempt(lambda: check(libc.syscall(425, 1, ctypes.create_string_buffer(256))))
      """
    #expect(try attempts(text) == ["EACCES", "EACCES", "done", "EACCES", "ENOSYS"])
    #expect(try attempts(text) { $0.isolatesNetwork = false } == ["EACCES", "done", "done", "EACCES", "ENOSYS"])
  }

  @Test func `no child signals, inspects or limits its parent`() throws {
    let lines = try attempts(
      """
      parent = os.getppid()
      attempt(lambda: os.kill(parent, 0))
      attempt(lambda: os.kill(-1, 0))
      attempt(lambda: os.killpg(os.getpgid(parent), 0))
      attempt(lambda: check(libc.tgkill(parent, parent, 0)))
      attempt(lambda: check(libc.syscall(200 if platform.machine() == "x86_64" else 130, parent, 0)))
      attempt(lambda: os.pidfd_open(parent))
      attempt(lambda: signal.pidfd_send_signal(os.open(f"/proc/{parent}", os.O_RDONLY), 0))
      attempt(lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE))
      attempt(lambda: check(libc.ptrace(16, parent, 0, 0)))
      attempt(lambda: check(libc.process_vm_readv(parent, None, 0, None, 0, 0)))
      attempt(lambda: os.kill(os.getpid(), 0))
      attempt(lambda: resource.getrlimit(resource.RLIMIT_NOFILE))
      """)
    #expect(lines == Array(repeating: "EPERM", count: 10) + ["done", "done"])
  }

  @Test func `no child changes its parent's share of the machine`() throws {
    let lines = try attempts(
      """
      parent = os.getppid()
      thread = max(int(t) for t in os.listdir(f"/proc/{parent}/task"))
      ioprio_set = 251 if platform.machine() == "x86_64" else 30
      for other in parent, thread:
          attempt(lambda: os.sched_setaffinity(other, os.sched_getaffinity(0)))
          attempt(lambda: os.sched_setscheduler(other, os.SCHED_IDLE, os.sched_param(0)))
          attempt(lambda: os.sched_setparam(other, os.sched_param(0)))
          sched_setattr, text = 314 if ioprio_set == 251 else 274, ctypes.create_string_buffer(48)
          attempt(lambda: check(libc.syscall(sched_setattr, other, text, 0)))
          attempt(lambda: os.setpriority(os.PRIO_PROCESS, other, 19))
          attempt(lambda: check(libc.syscall(ioprio_set, 1, other, 3 << 13)))
      attempt(lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19))
      attempt(lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(parent), 19))
      attempt(lambda: check(libc.syscall(ioprio_set, 3, os.getuid(), 3 << 13)))
      attempt(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
      attempt(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))
      attempt(lambda: os.setpriority(os.PRIO_PROCESS, 0, 19))
      attempt(lambda: check(libc.syscall(ioprio_set, 1, 0, 3 << 13)))
      """)
    #expect(lines == Array(repeating: "EPERM", count: 15) + ["done", "done", "done", "done"])
  }

  @Test
  func `no child changes mode, owner, times or attributes of a file, or the size of an unopened one`()
    throws
  {
    let place = try Place()
    defer { place.remove() }
    try place.write("state/secret", "secret")
    let lines = try attempts(
      """
      path = "\(place.path)/state/secret"
      folder = os.open("\(place.path)/state", os.O_PATH)
      has_old = platform.machine() == "x86_64"
      attempt(lambda: os.chmod(path, 0o666))
      attempt(lambda: os.chmod("secret", 0o666, dir_fd=folder))
      attempt(lambda: os.chmod(f"/proc/self/fd/{folder}", 0o777))
      attempt(lambda: check(libc.syscall(452, folder, b"", 0o777, 0x1000)))
      attempt(lambda: os.chown(path, -1, -1))
      attempt(lambda: os.lchown(path, -1, -1))
      attempt(lambda: os.chown("secret", -1, -1, dir_fd=folder))
      for follows in True, False: attempt(lambda: os.setxattr(path, "user.mark", b"1", follow_symlinks=follows))
      attempt(lambda: os.removexattr(path, "user.mark"))
      attempt(lambda: check(libc.syscall(463, folder, b"secret", 0, b"user.mark", ctypes.create_string_buffer(16), 16)))
      attempt(lambda: os.truncate(path, 0))
      file = os.open("\(place.path)/own", os.O_RDWR | os.O_CREAT, 0o600)
      attempt(lambda: os.fchmod(file, 0o640))
      attempt(lambda: os.fchown(file, -1, -1))
      attempt(lambda: os.setxattr(file, "user.mark", b"1"))
      attempt(lambda: os.removexattr(file, "user.mark"))
      attempt(lambda: os.utime(path, (1, 1)))
      attempt(lambda: os.utime("secret", (1, 1), dir_fd=folder))
      for opened in file, os.open(path, os.O_RDONLY): attempt(lambda: os.utime(opened, (1, 1)))
      if has_old:
          for number in 132, 235: attempt(lambda: check(libc.syscall(number, path.encode(), None)))
          attempt(lambda: check(libc.syscall(261, folder, b"secret", None)))
      else:
          for _ in range(3): print("EPERM", file=sys.stderr)
      import fcntl
      for request in 0x40086602, 0x401c5820, 0x40806685: attempt(lambda: fcntl.ioctl(file, request, bytes(128)))
      attempt(lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK))
      attempt(lambda: os.ftruncate(file, 0))
      """)
    #expect(lines == Array(repeating: "EPERM", count: 27) + ["done"])
  }

  @Test
  func `no child makes a redirectable socket, kernel signals to others, or anything that outlives it`()
    throws
  {
    let lines = try attempts(
      """
      import fcntl, socket
      for kind in socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_RDM:
          attempt(lambda: socket.socketpair(socket.AF_UNIX, kind))
      end = os.pipe()[0]
      attempt(lambda: fcntl.fcntl(end, fcntl.F_SETOWN, os.getppid()))
      attempt(lambda: fcntl.fcntl(end, 15, b"\\0" * 8))
      attempt(lambda: fcntl.fcntl(end, 10, signal.SIGKILL))
      for request in 0x8901, 0x8902: attempt(lambda: fcntl.ioctl(end, request, b"\\0" * 4))
      for namespaces in 0x10000000, 0x20000: attempt(lambda: check(libc.unshare(namespaces)))
      attempt(lambda: check(libc.setns(end, 0)))
      attempt(lambda: check(libc.shmget(0, 4096, 0o1600)))
      attempt(lambda: check(libc.semget(0, 1, 0o1600)))
      attempt(lambda: check(libc.msgget(0, 0o1600)))
      for kind in socket.SOCK_STREAM, socket.SOCK_SEQPACKET: attempt(lambda: socket.socketpair(socket.AF_UNIX, kind))
      attempt(lambda: os.waitpid(os.fork() or os._exit(0), 0))
      import threading
      def run():
          thread = threading.Thread(target=lambda: None)
          thread.start()
          thread.join()
      attempt(run)
      """)
    #expect(
      lines == Array(repeating: "EACCES", count: 3) + Array(repeating: "EPERM", count: 11)
        + Array(repeating: "done", count: 4))
  }

  @Test(.enabled(if: FileReach.isSupported, "this kernel has no Landlock"))
  func `several folders are hidden, whatever their nesting`() throws {
    let place = try Place()
    defer { place.remove() }
    for name in ["one/state/secret", "one/run/socket", "one/beside/file", "two/run/socket", "state-2/file"] {
      try place.write(name, "x")
    }
    var hidden = FileReach(hidden: place.path + "/one/state")
    hidden.alsoHidden = [
      place.path + "/one/run", place.path + "/two/run", place.path + "/nowhere", place.path + "/one/state/deeper",
    ]
    // A letter that combines with the slash before it hides no folder's name.
    let odd = place.path + "/three\u{600}/\u{301}state"
    for folder in [place.path + "/three\u{600}", odd] { #expect(mkdir(folder, 0o700) == 0) }
    #expect(close(open(odd + "/secret", O_CREAT | O_WRONLY, 0o600)) == 0)
    hidden.alsoHidden.append(odd)
    let lines = try attempts(
      """
      os.chdir("\(place.path)")
      for path in "one/state/secret", "one/run/socket", "two/run/socket", "\(odd)/secret":
          attempt(lambda: open(path).read())
      attempt(lambda: os.unlink("one/run/socket"))
      attempt(lambda: os.rename("one/run/socket", "one/run/other"))
      attempt(lambda: open("one/run/new", "w"))
      for path in "one/beside/file", "state-2/file": attempt(lambda: open(path).read())
      """
    ) { $0.files = hidden }
    #expect(lines == Array(repeating: "EACCES", count: 7) + ["done", "done"])
  }

  @Test(.enabled(if: FileReach.isSupported, "this kernel has no Landlock"))
  func `a hidden folder is unreachable by every way, and its neighbours are reachable`() throws {
    let place = try Place()
    defer { place.remove() }
    try place.write("state/secret", "secret")
    try place.write("state/plugins/code", "code")
    try place.write("state/cache/file", "kept")
    try place.write("photos/one.jpg", "photo")
    var hidden = FileReach(hidden: place.path + "/state")
    hidden.readable = [place.path + "/state/plugins"]
    hidden.writable = [place.path + "/state/cache"]
    // A request for the hidden folder, or for a path inside it, opens nothing.
    hidden.wanted = [place.path + "/state", place.path + "/photos/../state/secret", place.path + "/photos"]
    let lines = try attempts(
      """
      os.chdir("\(place.path)")
      for path in "state/secret", "state/../state/secret", "/proc/self/cwd/state/secret":
          attempt(lambda: open(path).read())
      attempt(lambda: os.listdir("state"))
      attempt(lambda: open("state/more", "w"))
      attempt(lambda: os.rename("state/secret", "photos/secret"))
      attempt(lambda: os.link("state/secret", "photos/secret"))
      attempt(lambda: open("state/plugins/code", "w"))
      attempt(lambda: open("state/plugins/code").read())
      attempt(lambda: open("state/cache/more", "w"))
      attempt(lambda: open("photos/one.jpg").read())
      attempt(lambda: open("photos/two.jpg", "w"))
      attempt(lambda: open("/usr/bin/env").close())
      """
    ) { $0.files = hidden }
    #expect(lines.count == 13)
    #expect(Set(lines.prefix(8)).isSubset(of: ["EACCES", "EXDEV"]), "\(lines)")
    #expect(lines.dropFirst(8) == ["done", "done", "done", "done", "done"])
    // The names in a folder with a hidden one inside can be listed, and files beside it written.
    hidden.wanted = [place.path]
    let beside = try attempts(
      """
      os.chdir("\(place.path)")
      for path in "state", "state/secret": attempt(lambda: os.open(path, os.O_RDONLY))
      for path in "state/secret", "state/more", "photos/three.jpg": attempt(lambda: open(path, "w"))
      """
    ) { $0.files = hidden }
    #expect(beside == ["done", "EACCES", "EACCES", "EACCES", "done"])
  }

  @Test(.enabled(if: FileReach.isSupported, "this kernel has no Landlock"))
  func
    `a child reads as its user, and writes only its assigned files and a temporary folder of its own`()
    throws
  {
    let place = try Place()
    defer { place.remove() }
    for name in ["home/.bashrc", "home/.ssh/authorized_keys", "photos/one.jpg", "state/secret"] {
      try place.write(name, "x")
    }
    #expect(mkdir(place.path + "/scratch", 0o700) == 0)
    let text = """
      os.chdir("\(place.path)")
      for path in "home/.bashrc", "home/.ssh/authorized_keys", "photos/one.jpg": attempt(lambda: open(path).read())
      for path in "home/.bashrc", "home/.profile", "home/.ssh/authorized_keys": attempt(lambda: open(path, "a"))
      attempt(lambda: os.unlink("home/.bashrc"))
      attempt(lambda: os.rename("home/.bashrc", "photos/taken"))
      attempt(lambda: os.link("home/.bashrc", "photos/linked"))
      attempt(lambda: os.symlink("/etc", "home/link"))
      attempt(lambda: os.mkdir("home/.config"))
      attempt(lambda: os.mkfifo("home/pipe"))
      attempt(lambda: open("/dev/shm/photobroker-confinement", "w"))
      for path in "photos/two.jpg", "/dev/null", os.environ["TMPDIR"] + "/file": attempt(lambda: open(path, "w"))
      attempt(lambda: os.rename(os.environ["TMPDIR"] + "/file", "photos/three.jpg"))
      deep = os.environ["TMPDIR"]
      for _ in range(40):
          deep += "/" + "d" * 60
          os.mkdir(deep, 0o300)
      print(os.environ["TMPDIR"], file=sys.stderr)
      """
    for isHidden in [true, false] {
      var files = FileReach(hidden: isHidden ? place.path + "/state" : nil)
      files.wanted = [place.path + "/photos"]
      let lines = try attempts(text) { options in
        options.files = files
        options.scratch = .init(in: place.path + "/scratch")
      }
      #expect(lines.count == 18)
      #expect(
        lines.prefix(3) == ["done", "done", "done"] && Array(lines[13..<17]) == Array(repeating: "done", count: 4),
        "\(lines)")
      #expect(Set(lines[3..<13]).isSubset(of: ["EACCES", "EXDEV"]), "\(lines)")
      #expect(lines.last?.hasPrefix(place.path + "/scratch/photobroker-plugin.") == true)
      // The end is visible a moment before the removal.
      for _ in 0..<2_000 where try FileManager.default.contentsOfDirectory(atPath: place.path + "/scratch") != [] {
        usleep(10_000)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.path + "/scratch") == [])
    }
  }

  @Test(.enabled(if: FileReach.isSupported, "this kernel has no Landlock"))
  func `R126 a child writes in its own folder, wherever its path leads later`() throws {
    let place = try Place()
    defer { place.remove() }
    for name in ["mine/one.jpg", "others/one.jpg"] { try place.write(name, "photo") }
    #expect(symlink("mine", place.path + "/photos") == 0)
    func reach(_ path: String) throws -> FileReach {
      let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(folder) }
      var reach = FileReach()
      reach.wanted = [place.path + "/photos"]
      reach.pinned = [place.path + "/photos": try #require(FileIdentity(of: folder))]
      return reach
    }
    let held = try reach(place.path + "/mine")
    let text = """
      os.chdir("\(place.path)")
      for path in "photos/two.jpg", "mine/three.jpg", "others/two.jpg": attempt(lambda: open(path, "w"))
      """
    #expect(try attempts(text) { $0.files = held } == ["done", "done", "EACCES"])
    #expect(unlink(place.path + "/photos") == 0 && symlink("others", place.path + "/photos") == 0)
    #expect { try attempts(text) { $0.files = held } } throws: { ($0 as? SupervisorError)?.code == .startFailed }
    #expect(unlink(place.path + "/photos") == 0)
    #expect { try attempts(text) { $0.files = held } } throws: { ($0 as? SupervisorError)?.code == .startFailed }
    var none = held
    none.pinned = none.pinned.mapValues { _ in .none }
    #expect(symlink("others", place.path + "/photos") == 0)
    #expect(try attempts(text) { $0.files = none } == ["EACCES", "EACCES", "EACCES"])
  }

  @Test
  func
    `a child that is to end first when memory runs out is marked so, and is counted by itself where the kernel does`()
    throws
  {
    let lines = try attempts(
      "print(open('/proc/self/oom_score_adj').read().strip(), os.sysconf('SC_CHILD_MAX'), file=sys.stderr)"
    ) {
      $0.isFirstToEnd = true
      $0.processes = 40
    }
    #expect(lines == ["1000 40"])
  }

  @Test(
    .enabled(
      if: access("/proc/sys/user/max_inotify_instances", W_OK) == 0,
      "the limits of user namespaces cannot be written here"))
  func `a separately counted child takes at most eight folder watches`() throws {
    let lines = try attempts("for _ in range(10): attempt(lambda: check(libc.inotify_init1(0)))") { $0.processes = 40 }
    #expect(lines == Array(repeating: "done", count: 8) + ["EMFILE", "EMFILE"])
  }

  @Test
  func
    `where Landlock keeps no signals in, a child signals no process by its number but itself, and groups of its own`()
    throws
  {
    let lines = try attempts(
      """
      import subprocess
      parent = os.getppid()
      other = max(int(t) for t in os.listdir(f"/proc/{parent}/task"))
      one = subprocess.Popen(["/bin/sleep", "1000"], process_group=0) if sys.version_info >= (3, 11) else None
      for number in (parent, other, one.pid): attempt(lambda: os.kill(number, 0))
      for number in (os.getpid(), 0, -one.pid): attempt(lambda: os.kill(number, 0))
      os.killpg(one.pid, signal.SIGKILL)
      print(one.wait(), file=sys.stderr)
      """)
    #expect(lines == ["EPERM", "EPERM", "EPERM", "done", "done", "done", "-9"])
  }

  @Test func `a child's own children end with it, even in another group and session`() throws {
    let lines = try attempts(
      """
      import subprocess, time
      # A surviving process would keep the error pipe open.
      if os.getpid() == 1: subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
      attempt(lambda: os.kill(os.getpid(), 0))
      for number in -1, 0: attempt(lambda: os.kill(number, signal.SIGCONT))
      parent = int(open("/proc/self/stat").read().rpartition(")")[2].split()[1])
      attempt(lambda: os.kill(parent, 0))
      print(os.getpid(), os.getuid() == os.stat("/proc/self").st_uid, file=sys.stderr)
      """
    ) { $0.isolatesProcesses = true }
    #expect(lines == ["done", "EPERM", "done", "ESRCH", "1 True"])
  }

  @Test(arguments: [
    (
      "open(path + '/large', 'wb').write(bytes(3 << 20))",
      "It has more than 2 MiB in its own folder (TMPDIR), and is ended."
    ),
    (
      "for n in range(21): os.mkdir(f'{path}/{n}')",
      "It has more than 20 files in its own folder (TMPDIR), and is ended."
    ),
    (
      "os.makedirs(path + '/a/b'); open(path + '/a/b/large', 'wb').write(bytes(3 << 20))",
      "It has more than 2 MiB in its own folder (TMPDIR), and is ended."
    ),
    (
      "deep = os.fsencode(path) + b'/\\xff'; os.mkdir(deep); open(deep + b'/large', 'wb').write(bytes(3 << 20))",
      "It has more than 2 MiB in its own folder (TMPDIR), and is ended."
    ),
    (
      "for n in range(17): os.mkdir('n' * 255); os.chdir('n' * 255)",
      "It has a folder in its own one (TMPDIR) that cannot be read, and is ended."
    ),
  ])
  func `a child that exceeds its folder's quota is killed, and its files are removed`(
    text: String, words: String
  ) throws {
    let place = try Place()
    defer { place.remove() }
    let notes = Noted()
    var options = Script.python(
      "import os, time; path = os.environ['TMPDIR']; os.chdir(path)\n\(text)\ntime.sleep(1000)")
    var scratch = ChildOptions.Scratch(in: place.path + "/scratch")
    (scratch.bytes, scratch.entries, scratch.pause) = (2 << 20, 20, .milliseconds(20))
    options.scratch = scratch
    options.journal = notes
    let child = try ChildProcess.start(options)
    #expect(child.waitForExit(until: .after(.seconds(60))) == .killed(signal: SIGKILL))
    #expect(notes.all.withLock { $0 } == [words])
    for _ in 0..<2_000 where try FileManager.default.contentsOfDirectory(atPath: place.path + "/scratch") != [] {
      usleep(10_000)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path + "/scratch") == [])
  }

  @Test func `a child at its folder's quota stays, and links elsewhere do not count`() throws {
    let place = try Place()
    defer { place.remove() }
    let lines = try attempts(
      """
      import time
      path = os.environ["TMPDIR"]
      open(path + "/file", "wb").write(bytes(1 << 20))
      os.symlink("/usr", path + "/link")
      for n in range(8): os.mkdir(f"{path}/{n}")
      time.sleep(0.5)
      print("here", file=sys.stderr)
      """
    ) { options in
      var scratch = ChildOptions.Scratch(in: place.path + "/scratch")
      (scratch.bytes, scratch.entries, scratch.pause) = (2 << 20, 10, .milliseconds(20))
      options.scratch = scratch
    }
    #expect(lines == ["here"])
  }

  @Test func `the rules depend on mounts beside hidden folders and at or above a child's own`() throws {
    let place = try Place()
    defer { place.remove() }
    try place.write("way/state/secret", "x")
    let real = URL(fileURLWithPath: place.path).resolvingSymlinksInPath().path
    var files = FileReach(hidden: place.path + "/way/state")
    files.wanted = ["/mnt/disk/Photos"]
    let depends = files.dependence()
    for mount in [
      "/", "/mnt", "/mnt/disk", "/mnt/disk/Photos", "/data", real, real + "/disk", real + "/way", real + "/way/disk",
    ] {
      #expect(depends(mount), "\(mount)")
    }
    for mount in ["/mnt/disk/Photos/deep", "/mnt/other", "/data/deep", real + "/other/disk", real + "/way/other/disk"] {
      #expect(!depends(mount), "\(mount)")
    }
  }

  @Test func `network mounts are known by their kind`() {
    var mounts = RemoteMounts()
    mounts.note("36 35 0:33 / /mnt/a\\040b rw,relatime shared:1 - nfs4 server:/ rw")
    mounts.note("37 35 8:1 / /mnt/disk rw,relatime shared:2 master:3 - ext4 /dev/sda1 rw")
    mounts.note("38 35 0:40 / /mnt/far rw - fuse.sshfs me@far: rw")
    mounts.note("nonsense - nfs")
    #expect(mounts.contains("/mnt/a b") && mounts.contains("/mnt/far") && !mounts.contains("/mnt/disk"))
  }
}
