package import UnixSocket

/// The settings of a child process. It inherits nothing else: no environment, descriptors or signal
/// settings.
package struct ChildOptions: Sendable {
  /// Descriptors for the child beside its socket; shared, because a restart passes them again.
  package struct Passed: Sendable {
    package var descriptors: SharedDescriptors
    /// The first descriptor's number in the child, 4 to 15; the others follow.
    package var firstNumber: Int32

    package init(_ descriptors: SharedDescriptors, firstNumber: Int32) {
      self.descriptors = descriptors
      self.firstNumber = firstNumber
    }
  }

  /// The number of the socket in the child.
  package static let socketNumber: Int32 = 3

  /// Timeout until the program's first instruction; a dead disk could delay it without limit.
  package static let startLimitMilliseconds: Int32 = 5000

  /// An absolute path; no search, no shell.
  package var path: String
  /// Arguments after the program's name.
  package var arguments: [String]
  package var environment: [String: String] = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
  /// The child's working directory.
  package var directory = "/"
  package var passed: [Passed] = []
  /// RLIMIT_AS: address space in bytes, for programs that reserve little more than they use. Nil
  /// for no limit.
  package var addressSpaceBytes: UInt64?
  /// RLIMIT_DATA: heap and private writable mappings in bytes. Nil for no limit.
  package var dataBytes: UInt64?
  /// Limit in bytes for shared mappings and memory files of the child and its descendants, which
  /// `dataBytes` does not count. A child above it is killed. Nil for no limit.
  package var sharedBytes: Int64?
  /// The interval of checks of `sharedBytes`.
  package var sharedPause: Duration = .seconds(2)
  /// Processor time over the child's whole life, in seconds. Nil for no limit.
  package var processorSeconds: UInt64?
  /// Open files.
  package var openFiles: UInt64? = 256
  /// The largest file it can write, in bytes; memory files count. Nil for no limit.
  package var fileBytes: UInt64?
  /// Processes and threads, itself included; nil for no limit. In force only if the kernel gives it
  /// a user namespace.
  package var processes: UInt64?
  /// Whether the child gets a process namespace, if the kernel allows it: its descendants then end
  /// with it, even if this program is killed. As process 1 it ignores its own signals without a
  /// handler, and reaps orphans.
  package var isolatesProcesses = false
  /// Scheduling niceness, 0 to 19.
  package var niceness: Int32 = 0
  /// Whether the kernel ends the child before others when memory runs out.
  package var isFirstToEnd = false
  /// The user and group of the child, without supplementary groups; only root can set them.
  package var user: (uid: UInt32, gid: UInt32)?
  /// Whether the child has no network. Unix sockets, which reach this user's other programs, are
  /// always denied.
  package var isolatesNetwork = true
  /// Files that the child may read and write; nil for all of its user's.
  package var files: FileReach?
  /// The condition for a restart before the next call, after a change of mounts. Rules of Landlock
  /// name a mount: a disk that was remounted is out of reach for them.
  package enum Renewal: Sendable {
    case never
    case afterAnyMount
    /// After changes of mounts that the rules depend on (see ``FileReach/dependence()``), so that
    /// not every new container causes a restart.
    case afterMountsAtItsRules
  }

  package var renewal = Renewal.never
  /// A temporary folder for each start, which the child finds in TMPDIR. It is removed when the child
  /// ends.
  package struct Scratch: Sendable {
    /// The folder in which it is made.
    package var parent: String
    /// Limit of its content in bytes on the disk: a child above it is killed. If less than a
    /// twentieth of the disk is free, 4 MiB.
    package var bytes: Int64 = 1 << 30
    /// Limit of the number of files and folders.
    package var entries = 10_000
    /// The interval of checks of these two limits.
    package var pause: Duration = .seconds(5)

    package init(in parent: String) { self.parent = parent }
  }

  package var scratch: Scratch?
  /// The number of the newest lines of error output to keep.
  package var errorLineLimit = 64
  /// Bytes kept per line.
  package var errorLineBytes = 1024

  /// Changes the options before each start, on the starting thread. An error prevents the start and
  /// becomes the `underlying` of the thrown one.
  package var prepare: (@Sendable (inout ChildOptions) throws -> Void)?
  /// Receives the child's events.
  package var journal: (any ChildJournal)?

  package init(path: String, arguments: [String] = []) {
    self.path = path
    self.arguments = arguments
  }
}
