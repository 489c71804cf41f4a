import BrokerInterface
import Glibc
import UnixSocket

/// Files with secret options of a plugin. The broker gets them as descriptors, so that no secret is
/// on a command line or in a message.
struct CredentialFile: ~Copyable {
  private(set) var list: [Admin.Credential] = []
  private var opened = OwnedDescriptors()

  /// - Parameters:
  ///   - given: arguments of the form `OPTION=FILE`.
  ///   - option: the option's name, for errors.
  ///   - forgetting: secret options to erase.
  /// - Throws: `usage`, `notFound`, `notPermitted`; `badData` for a file that other users can read.
  init(_ given: [String], of option: String, forgetting: [String] = []) throws(CommandError) {
    for text in given {
      let (name, path) = try KeyValue.parse(text, of: option, as: "OPTION=FILE")
      let file = try InputFile.open(path)
      guard try InputFile.facts(of: file, path).st_mode & 0o077 == 0 else {
        throw CommandError(
          .badData,
          "\(path) holds a secret and can be read or changed by others: chmod 600, and change the secret if they may "
            + "have read it."
        )
      }
      list.append(Admin.Credential(option: name, descriptor: Int64(opened.count)))
      opened.append(file)
    }
    list += forgetting.map { Admin.Credential(option: $0) }
  }

  /// The secrets by option, for a plugin that runs without a broker. As at the broker, a final
  /// newline is cut off.
  /// - Throws: `badData` for a secret that the broker would refuse.
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
        throw CommandError(.badData, "The file for \(entry.option) is empty, or is not UTF-8 text.")
      }
      guard values.updateValue(text, forKey: entry.option) == nil else {
        throw .usage("The credential \(entry.option) is given twice. Leave one out.")
      }
    }
    return values
  }

  /// Limit of one secret, as in the broker.
  private static let limitBytes = 64 << 10

  /// The descriptors in order, for the call.
  mutating func takeFiles() -> OwnedDescriptors { opened.takeAll() }
}

/// `KEY=VALUE` arguments.
enum KeyValue {
  /// - Throws: `usage`.
  static func parse(_ text: String, of option: String, as form: String = "KEY=VALUE") throws(CommandError) -> (
    key: String, value: String
  ) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else { throw .usage("\(option) takes \(form), not \(text).") }
    return (parts[0], parts[1])
  }

  /// Parses all; nil for none.
  /// - Throws: `usage`, also for a repeated key.
  static func table(_ given: [String], of option: String) throws(CommandError) -> [String: String]? {
    var table: [String: String] = [:]
    for text in given {
      let (key, value) = try parse(text, of: option)
      guard table.updateValue(value, forKey: key) == nil else {
        throw .usage("The option \(key) is given twice. Leave one out.")
      }
    }
    return table.isEmpty ? nil : table
  }
}
