import BrokerInterface
import Glibc
import Monitor
import UnixSocket

/// Secret options that an owner handed over by descriptor, so that no message holds them.
final class HandedCredentials: Sendable {
  /// Limit of one value.
  private static let limitBytes = 64 << 10
  /// Time limit for all of them.
  private static let timeLimit = Duration.seconds(10)

  /// The options in order. Each has a value, or its secret is to be erased.
  private let options: [Option]
  /// Descriptors of the options with a value, in the same order.
  private let files: [HandedDescriptor]
  /// Threads that read the files. The file system may be the caller's own and may not answer.
  private let threads: ForeignThreads
  /// The user who must own the files, if not the broker's own user.
  private let caller: UInt32

  private struct Option: Sendable {
    var name: String
    var hasValue: Bool
  }

  /// - Parameter allowsForgetting: Whether an entry may have no descriptor.
  /// - Throws: `invalidParameter`.
  init(_ list: [Admin.Credential]?, _ call: IncomingCall, allowsForgetting: Bool) throws(CallFailure) {
    var options: [Option] = []
    var taken: [HandedDescriptor] = []
    for entry in list ?? [] {
      guard (1...64).contains(entry.option.utf8.count), options.count < 64,
        !options.contains(where: { $0.name == entry.option })
      else {
        throw .invalid("credentials.option", "an option's name has 1 to 64 bytes; at most 64 options, each once")
      }
      if let index = entry.descriptor {
        guard index == Int64(taken.count), let file = call.connection.takeDescriptor() else {
          throw .invalid(
            "credentials.descriptor", "descriptors are numbered from 0 in the list's order and passed with the call")
        }
        taken.append(file)
      } else if !allowsForgetting {
        throw .invalid("credentials.descriptor", "it is missing; pass the secret's file")
      }
      options.append(Option(name: entry.option, hasValue: entry.descriptor != nil))
    }
    self.options = options
    files = taken
    threads = call.connection.threads.readers
    caller = call.connection.socket.peer.uid
  }

  var isEmpty: Bool { options.isEmpty }
  var names: [String] { options.map(\.name) }

  /// Merges these options into a library's known secrets. Blocks, so it is called on a worker only.
  /// - Throws: `unsupported` with the option's name and the fault of its file.
  func applied(to known: [String: String]) throws(StorageFailure) -> [String: String] {
    var secrets = known
    for option in options { secrets[option.name] = nil }
    guard !files.isEmpty else { return secrets }
    let outcome = Monitor<Result<[String: String], StorageFailure>?>(nil)
    let isStarted = threads.run(for: caller) { [self] in
      let result = Result { () throws(StorageFailure) in try values() }
      outcome.change { $0 = result }
    }
    guard isStarted, let result = outcome.wait(until: .after(Self.timeLimit), for: { $0 }) else {
      throw StorageFailure(
        .unsupported, "The files for the credentials cannot be read in time; give files on a file system that answers.")
    }
    return secrets.merging(try result.get()) { $1 }
  }

  private func values() throws(StorageFailure) -> [String: String] {
    var values: [String: String] = [:]
    for (option, file) in zip(options.filter(\.hasValue), files) {
      values[option.name] = try value(of: option.name, file.number)
    }
    return values
  }

  private func value(of option: String, _ file: Int32) throws(StorageFailure) -> String {
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw refused(option, "must be a regular file")
    }
    guard facts.st_uid == caller || facts.st_uid == geteuid() else {
      throw refused(option, "belongs to another user; take a copy of your own")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw refused(
        option, "can be read or changed by others; set its mode to 0600, and change the secret if they may have read it"
      )
    }
    guard var bytes = FileBytes.read(file, limit: Self.limitBytes) else {
      throw refused(option, "cannot be read, or is longer than \(Self.limitBytes) bytes")
    }
    if bytes.last == 0x0a { bytes.removeLast() }
    guard !bytes.isEmpty, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw refused(option, "is empty, or no text in UTF-8")
    }
    return text
  }

  private func refused(_ option: String, _ reason: String) -> StorageFailure {
    StorageFailure(.unsupported, "The file for the credential \"\(option)\" \(reason).")
  }
}
