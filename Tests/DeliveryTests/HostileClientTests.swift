import Delivery
import Foundation
import Glibc
import Monitor
import Supervisor
import Testing
import UnixSocket

/// A client in a process of its own that attacks the copy it received.
struct HostileClientTests {
  /// Attacks descriptor 4, then sends one JSON object on descriptor 3, and the content again after
  /// each message.
  private static let script = """
    import ctypes, errno, fcntl, json, mmap, os, socket
    results = {}
    def attempt(name, action):
        try:
            action()
            results[name] = "succeeded"
        except OSError as error:
            results[name] = errno.errorcode.get(error.errno, str(error.errno))
    def reopen_and_write():
        other = os.open("/proc/self/fd/4", os.O_RDWR)
        os.pwrite(other, b"X", 0)
    def truncate_path():
        os.open("/proc/self/fd/4", os.O_WRONLY | os.O_TRUNC)
    def map_for_writing():
        mmap.mmap(4, 0, access=mmap.ACCESS_WRITE)[0] = 88
    libc = ctypes.CDLL(None, use_errno=True)
    def make_mapping_writable():
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        address = libc.mmap(None, 4096, 1, 1, 4, 0)
        if libc.mprotect(address, 4096, 3) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")
    def punch_hole():
        if libc.fallocate(4, 3, ctypes.c_long(0), ctypes.c_long(4096)) != 0:
            raise OSError(ctypes.get_errno(), "fallocate")
    attempt("write", lambda: os.write(4, b"X"))
    attempt("pwrite", lambda: os.pwrite(4, b"X", 0))
    attempt("shrink", lambda: os.ftruncate(4, 0))
    attempt("grow", lambda: os.ftruncate(4, 1 << 20))
    attempt("map", map_for_writing)
    attempt("mprotect", make_mapping_writable)
    attempt("punch", punch_hole)
    attempt("reopen", reopen_and_write)
    attempt("truncate", truncate_path)
    attempt("seal", lambda: fcntl.fcntl(4, 1033, 0))
    attempt("execute", lambda: os.fchmod(4, 0o777))
    attempt("chmod", lambda: os.fchmod(4, 0o666))
    attempt("reopen after chmod", reopen_and_write)
    attempt("truncate after chmod", truncate_path)
    results["label"] = os.readlink("/proc/self/fd/4")
    results["maps"] = [line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if "memfd" in line]
    channel = socket.socket(fileno=3)
    channel.sendall(json.dumps(results).encode() + b"\\0")
    while channel.recv(1):
        channel.sendall(os.pread(4, 1 << 20, 0).hex().encode() + b"\\0")
    """

  private func receive(_ connection: BlockingConnection) throws -> [UInt8] {
    guard let frame = try connection.receive(deadline: .after(.seconds(8))) else { throw POSIXError(.EPIPE) }
    return frame.bytes
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private func run(owner: UInt32, client: UInt32) throws -> [String: Any] {
    let folder = try Folder()
    let bytes = pattern(6000)
    try folder.write(bytes, to: "canary-grandmother.jpg")
    // The copy belongs to an ordinary user, as in a per-user daemon.
    if geteuid() == 0 { chown("\(folder.path)/canary-grandmother.jpg", owner, owner) }
    let root = try folder.root(owners: [owner])
    let copy = try FileSystemUser.run(as: owner) {
      try SealedCopy.copying(root.open("canary-grandmother.jpg"), limitBytes: 1 << 20)
    }
    #expect(try FileFacts(of: copy.descriptor).uid == owner)

    var options = ChildOptions(path: "/usr/bin/python3", arguments: ["-c", Self.script])
    options.passed = [.init(SharedDescriptors(try copy.descriptor.duplicate()), firstNumber: 4)]
    if geteuid() == 0 { options.user = (client, client) }
    let child = try ChildProcess.start(options)
    let results = try JSONSerialization.jsonObject(with: Data(receive(child.connection)))

    // The content is unchanged for both sides, also after the owner writes.
    try folder.write(pattern(6000, seed: 2), to: "canary-grandmother.jpg")
    try child.connection.send("again".utf8Span.span)
    #expect(try String(decoding: receive(child.connection), as: UTF8.self) == hex(bytes))
    #expect(try contents(copy) == bytes)
    return try #require(results as? [String: Any])
  }

  private func expectHarmless(_ results: [String: Any]) {
    for trick in [
      "write", "pwrite", "shrink", "grow", "map", "mprotect", "punch", "reopen", "truncate", "seal", "execute",
      "reopen after chmod", "truncate after chmod",
    ] {
      #expect(results[trick] as? String != "succeeded", "\(trick)")
      #expect(results[trick] != nil, "\(trick)")
    }
    #expect(results["label"] as? String == "/memfd:photo (deleted)")
    #expect((results["maps"] as? [String])?.allSatisfy { $0 == "/memfd:photo (deleted)" } == true)
    #expect(!"\(results)".contains("canary"))
  }

  @Test func `R140 a client of the same uid can change nothing and learns no name`() throws {
    let uid = geteuid() == 0 ? 65_001 : geteuid()
    let results = try run(owner: uid, client: uid)
    expectHarmless(results)
    #expect(results["reopen"] as? String == "EACCES")
  }

  @Test(.enabled(if: geteuid() == 0, "becoming another user needs root"))
  func `R140 a client of another uid can change nothing, not even the permissions`() throws {
    let results = try run(owner: 65_001, client: 65_002)
    expectHarmless(results)
    #expect(results["chmod"] as? String == "EPERM")
    #expect(results["reopen after chmod"] as? String == "EACCES")
  }
}
