package import UnixSocket

/// What a child process is started with. It inherits nothing else: no environment, no descriptor, no signal setting.
package struct ChildOptions: Sendable {
  /// A descriptor that the child gets beside its socket; shared, since a restart passes it again.
  package struct Passed: Sendable {
    package var descriptors: SharedDescriptors
    /// The number that the first of them has in the child, the next one following; 4 to 15.
    package var firstNumber: Int32

    package init(_ descriptors: SharedDescriptors, firstNumber: Int32) {
      self.descriptors = descriptors
      self.firstNumber = firstNumber
    }
  }

  /// The number of the socket in the child.
  package static let socketNumber: Int32 = 3

  /// How long the way to the program's first instruction may take; a dead disk can make it endless.
  package static let startLimitMilliseconds: Int32 = 5000

  /// An absolute path; no search, no shell.
  package var path: String
  /// Arguments after the program's name.
  package var arguments: [String]
  package var environment: [String: String] = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
  /// The child's working directory.
  package var directory = "/"
  package var passed: [Passed] = []
  /// Address space in bytes, RLIMIT_AS: for programs that do not reserve much more than they use. nil is no limit.
  package var addressSpaceBytes: UInt64?
  /// Heap and private writable mappings in bytes, RLIMIT_DATA. nil is no limit.
  package var dataBytes: UInt64?
  /// What it and all that it starts may hold of shared mappings and memory files, which `dataBytes`
  /// does not count, in bytes: a child that holds more is ended. nil is no limit.
  package var sharedBytes: Int64?
  /// How often that is looked at.
  package var sharedPause: Duration = .seconds(2)
  /// Processor time over the child's whole life, in seconds. nil is no limit.
  package var processorSeconds: UInt64?
  /// Open files.
  package var openFiles: UInt64? = 256
  /// The largest file it can write, in bytes; memory files count. nil is no limit.
  package var fileBytes: UInt64?
  /// Processes and threads, itself among them; nil is no limit. Best effort: only where the kernel
  /// gives it a user namespace.
  package var processes: UInt64?
  /// Whether it gets a namespace of its own for its processes, where the kernel gives one: all that
  /// it starts ends with it, also where this program is killed. It is process 1 there: a signal to
  /// itself that it has no handler for does nothing, and it reaps what its children leave.
  package var isolatesProcesses = false
  /// How much it stands back where processors are scarce, 0 to 19.
  package var niceness: Int32 = 0
  /// Whether the kernel ends it before others when memory runs out.
  package var isFirstToEnd = false
  /// A user and group to become, without supplementary groups; only root can.
  package var user: (uid: UInt32, gid: UInt32)?
  /// Whether to cut it off from every network. Sockets of the Unix family, with which it could
  /// speak to this user's other programs, it gets in no case.
  package var isolatesNetwork = true
  /// What it may read and write. Nil: what its user may.
  package var files: FileReach?
  /// When a child is started anew, before its next call, since something was mounted or taken away:
  /// a disk that was out is another one to its rules, though it be the same disk.
  package enum Renewal: Sendable {
    case never
    case afterAnyMount
    /// After those that its rules depend on, see ``FileReach/dependence()``: for what is not to be
    /// started anew for each container.
    case afterMountsAtItsRules
  }

  package var renewal = Renewal.never
  /// Where each start gets a folder of its own, which its environment names as TMPDIR, and which
  /// goes with it. Nil: none.
  package var scratch: String?
  /// What may lie in that folder, on the disk: a child that keeps more is ended. Where less than a
  /// twentieth of the disk is left: 4 MiB.
  package var scratchBytes: Int64 = 1 << 30
  /// Files and folders that may lie in it.
  package var scratchEntries = 10_000
  /// How often it is looked at.
  package var scratchPause: Duration = .seconds(5)
  /// Lines of its error output that are kept, the newest.
  package var errorLineLimit = 64
  /// Bytes kept of one such line.
  package var errorLineBytes = 1024

  /// Runs before each start, on the thread that wants it, and says what is different this time;
  /// what it throws keeps the child from being started, and is the error's `underlying`.
  package var prepare: (@Sendable (inout ChildOptions) throws -> Void)?
  /// Is told how the child fares.
  package var journal: (any ChildJournal)?

  package init(path: String, arguments: [String] = []) {
    self.path = path
    self.arguments = arguments
  }
}
