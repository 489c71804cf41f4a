import Glibc

/// Another program, run to its end with this one's standard descriptors.
enum ChildProcess {
  /// - Throws: `unavailable` where there is no such program, `failed` where it failed.
  static func run(_ command: [String]) throws(CommandError) {
    guard let name = command.first else { return }
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let result = posix_spawnp(&child, name, nil, nil, arguments, environ)
    guard result == 0 else {
      let advice = name == "setfacl" ? " Install the package acl, or let the broker's user read the folder in another way." : ""
      throw CommandError(.unavailable, "\(name) cannot be run.\(advice)")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    // The wait status of a normal end is the exit code in its second byte.
    guard status == 0 else {
      throw CommandError(.failed, "\(command.joined(separator: " ")) failed with status \(status >> 8 & 0xFF). Does the file system take access control lists?")
    }
  }
}
