import BrokerInterface
import Glibc
import UnixSocket

/// Files with secret options of a library's storage, on their way to the broker: by descriptor, so
/// that no secret is on a command line or in a message.
struct CredentialFile: ~Copyable {
  private(set) var list: [Admin.Credential] = []
  private var opened = OwnedDescriptors()

  /// - Parameters:
  ///   - given: `OPTION=FILE`, as it was typed.
  ///   - option: what it was typed after.
  /// - Throws: `usage`, `notFound`, `notPermitted`; `badData` for a file that others can read.
  init(_ given: [String], of option: String, forgetting: [String] = []) throws(CommandError) {
    for text in given {
      let (name, path) = try KeyValue.parse(text, of: option, as: "OPTION=FILE")
      // Nonblocking, since a FIFO that nobody writes to would keep us for ever.
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw .file(path, errno) }
      let file = FileDescriptor(owning: descriptor)
      var facts = stat()
      guard fstat(file.number, &facts) == 0 else { throw .file(path, errno) }
      guard facts.st_mode & S_IFMT == S_IFREG else { throw CommandError(.badData, "\(path) is no regular file.") }
      guard facts.st_mode & 0o077 == 0 else {
        throw CommandError(
          .badData,
          "\(path) holds a secret and can be read or changed by others: chmod 600, and change the secret if they may have read it."
        )
      }
      list.append(Admin.Credential(option: name, descriptor: Int64(opened.count)))
      opened.append(file)
    }
    list += forgetting.map { Admin.Credential(option: $0) }
  }

  /// What is in them, by option, for a plugin that is run here; without a line's end at the end, as
  /// the broker takes it.
  /// - Throws: `badData` for what the broker would not take.
  func values() throws(CommandError) -> [String: String] {
    var values: [String: String] = [:]
    for (entry, file) in zip(list, opened.numbers) {
      var bytes = [UInt8](repeating: 0, count: Self.limitBytes + 1)
      let count = pread(file, &bytes, bytes.count, 0)
      guard (0...Self.limitBytes).contains(count) else {
        throw CommandError(
          .badData, "The file for \(entry.option) cannot be read, or is longer than \(Self.limitBytes) bytes.")
      }
      bytes.removeSubrange(count...)
      if bytes.last == 0x0a { bytes.removeLast() }
      guard !bytes.isEmpty, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        throw CommandError(.badData, "The file for \(entry.option) is empty, or no text in UTF-8.")
      }
      guard values.updateValue(text, forKey: entry.option) == nil else {
        throw .usage("The credential \(entry.option) is given twice.")
      }
    }
    return values
  }

  /// Of one value, as the broker has it.
  private static let limitBytes = 64 << 10

  /// The files in order, for the call.
  mutating func takeFiles() -> OwnedDescriptors { opened.takeAll() }
}

/// `KEY=VALUE` on the command line.
enum KeyValue {
  /// - Throws: `usage`.
  static func parse(_ text: String, of option: String, as form: String = "KEY=VALUE") throws(CommandError) -> (
    key: String, value: String
  ) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else { throw .usage("\(option) takes \(form), not \(text).") }
    return (parts[0], parts[1])
  }

  /// Nil where none was given.
  /// - Throws: `usage`, also for a key that is given twice.
  static func table(_ given: [String], of option: String) throws(CommandError) -> [String: String]? {
    var table: [String: String] = [:]
    for text in given {
      let (key, value) = try parse(text, of: option)
      guard table.updateValue(value, forKey: key) == nil else { throw .usage("The option \(key) is given twice.") }
    }
    return table.isEmpty ? nil : table
  }
}
