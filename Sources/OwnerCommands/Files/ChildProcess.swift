import Glibc

/// Another program, run to its end with this one's standard descriptors.
enum ChildProcess {
  /// - Parameters:
  ///   - input: what it reads as its standard input; nil: what this program does.
  ///   - output: where its standard output goes; nil: where this program's goes.
  ///   - isQuiet: what it prints to standard output is thrown away.
  ///   - advice: what to do where it fails.
  /// - Throws: `unavailable` where there is no such program, `failed` where it failed.
  static func run(
    _ command: [String], input: Int32? = nil, output: Int32? = nil, isQuiet: Bool = false,
    advice: String = "Does the file system take access control lists?"
  ) throws(CommandError) {
    guard let name = command.first else { return }
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    if isQuiet { posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) }
    let result = posix_spawnp(&child, name, &actions, nil, arguments, environ)
    guard result == 0 else {
      let advice =
        ["setfacl", "getfacl"].contains(name) ? " Install the package acl, or let the broker's user read the folder in another way." : ""
      throw CommandError(.unavailable, "\(name) cannot be run.\(advice)")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    // The wait status of a normal end is the exit code in its second byte.
    guard status == 0 else {
      throw CommandError(.failed, "\(command.joined(separator: " ")) failed with status \(status >> 8 & 0xFF). \(advice)")
    }
  }
}
