import CLinux
import Glibc
import UnixSocket

/// The options of a start in C's form, freed with this value.
struct SpawnArguments: ~Copyable {
  private var strings: [UnsafeMutablePointer<CChar>?] = []
  private let path: UnsafeMutablePointer<CChar>?
  private let directory: UnsafeMutablePointer<CChar>?
  private let argumentCount: Int
  private let descriptors: [clinux_spawn_descriptor]
  private let limits: [clinux_spawn_limit]
  private let user: (uid: UInt32, gid: UInt32)?
  private let isolatesNetwork: Bool
  private let ruleset: Int32
  private let processes: UInt64
  private let isolatesProcesses: Bool
  private let niceness: Int32
  private let isFirstToEnd: Bool

  init(_ options: ChildOptions, socket: Int32, errors: Int32, ruleset: Int32) {
    path = strdup(options.path)
    directory = strdup(options.directory)
    argumentCount = options.arguments.count + 1
    strings.append(strdup(options.path))
    for argument in options.arguments { strings.append(strdup(argument)) }
    strings.append(nil)
    for (name, value) in options.environment { strings.append(strdup("\(name)=\(value)")) }
    strings.append(nil)

    var descriptors = [
      clinux_spawn_descriptor(source: errors, number: STDERR_FILENO),
      clinux_spawn_descriptor(source: socket, number: ChildOptions.socketNumber),
    ]
    for passed in options.passed {
      for (index, source) in passed.descriptors.contents.numbers.enumerated() {
        descriptors.append(
          clinux_spawn_descriptor(source: source, number: passed.firstNumber &+ Int32(clamping: index)))
      }
    }
    self.descriptors = descriptors

    var limits = [clinux_spawn_limit(resource: Int32(RLIMIT_CORE.rawValue), value: 0)]
    let chosen: [(Int32, UInt64?)] = [
      (Int32(RLIMIT_AS.rawValue), options.addressSpaceBytes), (Int32(RLIMIT_DATA.rawValue), options.dataBytes),
      (Int32(RLIMIT_CPU.rawValue), options.processorSeconds), (Int32(RLIMIT_NOFILE.rawValue), options.openFiles),
      (Int32(RLIMIT_FSIZE.rawValue), options.fileBytes),
    ]
    for (resource, value) in chosen {
      if let value { limits.append(clinux_spawn_limit(resource: resource, value: value)) }
    }
    self.limits = limits
    user = options.user
    isolatesNetwork = options.isolatesNetwork
    self.ruleset = ruleset
    processes = options.processes ?? 0
    isolatesProcesses = options.isolatesProcesses
    niceness = options.niceness
    isFirstToEnd = options.isFirstToEnd
  }

  deinit {
    for string in strings { free(string) }
    free(path)
    free(directory)
  }

  /// Starts the child. On failure the result has the stage and the error number.
  borrowing func spawn() -> clinux_spawn_result {
    var result = clinux_spawn_result()
    strings.withUnsafeBufferPointer { strings in
      descriptors.withUnsafeBufferPointer { descriptors in
        limits.withUnsafeBufferPointer { limits in
          guard let first = strings.baseAddress else { return }
          var options = clinux_spawn_options()
          options.path = UnsafePointer(path)
          options.directory = UnsafePointer(directory)
          options.arguments = first
          options.environment = first + argumentCount + 1
          options.descriptors = descriptors.baseAddress
          options.descriptor_count = Int32(clamping: descriptors.count)
          options.limits = limits.baseAddress
          options.limit_count = Int32(clamping: limits.count)
          options.new_session = 1
          options.start_milliseconds = ChildOptions.startLimitMilliseconds
          options.parent_death_signal = SIGKILL
          if let user {
            options.change_user = 1
            options.uid = user.uid
            options.gid = user.gid
          }
          options.isolate_network = isolatesNetwork ? 1 : 0
          options.ruleset = ruleset
          options.processes = processes
          options.isolate_processes = isolatesProcesses ? 1 : 0
          options.niceness = niceness
          options.first_to_end = isFirstToEnd ? 1 : 0
          _ = clinux_spawn(&options, &result)
        }
      }
    }
    return result
  }
}
