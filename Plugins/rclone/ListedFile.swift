import Glibc
import PhotoModel
import PluginKit

/// A file from one line of `rclone lsjson`.
struct ListedFile {
  /// The path below the listed folder.
  var path: String
  var size: Int64
  var modified: Timestamp
  /// The remote's identifier of the file, stable across moves; nil if the remote has none.
  var identity: String?
  /// The remote's hash of the bytes with its name, such as `md5:00ff`; nil if there is none for
  /// this file.
  var hash: String?

  /// - Parameter line: `{"Path":"a/b.jpg","Name":"b.jpg","Size":1,"ModTime":"…","IsDir":false}`,
  ///   with or without a comma.
  /// - Returns: nil for a line without a file, such as the outer brackets.
  init?(line: some Collection<UInt8>) {
    var reader = PrintedJSON(line)
    guard let fields = reader.object() else { return nil }
    guard case .text(let path)? = fields["Path"], case .integer(let size)? = fields["Size"],
      case .text(let time)? = fields["ModTime"],
      fields["IsDir"] != .flag(true), size >= 0, let modified = Timestamp(internet: time)
    else { return nil }
    self.path = path
    self.size = size
    self.modified = modified
    if case .text(let identity)? = fields["ID"], (1...200).contains(identity.utf8.count) { self.identity = identity }
    if case .object(let hashes)? = fields["Hashes"] { hash = Self.hash(among: hashes) }
  }

  /// The path in a line, even if other fields are missing or invalid; nil for a folder or another
  /// line.
  static func path(line: some Collection<UInt8>) -> String? {
    var reader = PrintedJSON(line)
    guard let fields = reader.object(), case .text(let path)? = fields["Path"], fields["IsDir"] != .flag(true) else {
      return nil
    }
    return path
  }

  var folder: String { slash.map { String(path[..<$0]) } ?? "" }
  var name: String { slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path }
  /// As bytes: a combining character would merge with the slash before it.
  private var slash: String.Index? { path.utf8.lastIndex(of: UInt8(ascii: "/")) }

  /// The requested hash. For a file without one the remote sends none or an empty text.
  private static func hash(among hashes: [String: PrintedJSON.Value]) -> String? {
    guard hashes.count == 1, let (name, value) = hashes.first, case .text(let digits) = value,
      (16...128).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    return "\(name):\(digits)"
  }

  /// Changes with the hash or, without one, with size or time.
  var contentVersion: String { hash.map { ItemFile.contentVersion(hash: $0) } ?? "\(size)-\(modified.microseconds)" }

  /// Confidence that this is the known file. 3: same identifier. 2: same hash, or same size and
  /// time. 1: same size, on a remote without hashes that may have changed the time during a move.
  /// 0: another file.
  func likeness(to known: KnownFile) -> Int {
    if let hint = file(.original).identityHint, let other = known.identityHint, ExactText(hint) == ExactText(other) {
      return 3
    }
    if ExactText(contentVersion) == ExactText(known.contentVersion) { return 2 }
    return hash == nil && known.contentVersion.hasPrefix("\(size)-") ? 1 : 0
  }

  func file(_ role: ResourceRole) -> ItemFile {
    ItemFile(
      role: role, locator: path, filename: name, size: size, contentVersion: contentVersion,
      identityHint: identity.map { "id:\($0)" }, modified: modified)
  }
}

extension Timestamp {
  /// Parses an RFC 3339 time such as `2024-02-29T12:34:56.789Z`, also with an offset like `+01:00`.
  init?(internet text: String) {
    var rest = Array(text.utf8)[...]
    func number(_ digits: Int) -> Int64? {
      guard rest.count >= digits else { return nil }
      var value: Int64 = 0
      for digit in rest.prefix(digits) {
        guard (0x30...0x39).contains(digit) else { return nil }
        value = value * 10 + Int64(digit - 0x30)
      }
      rest = rest.dropFirst(digits)
      return value
    }
    func take(_ character: Character) -> Bool {
      guard rest.first == character.asciiValue else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("T"),
      let hour = number(2),
      take(":"),
      let minute = number(2), take(":"), let second = number(2), (1...12).contains(month), (1...31).contains(day),
      hour < 24, minute < 60,
      second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if take(".") {
      var scale: Int64 = 100_000
      while let digit = number(1) {
        fraction += digit * scale
        scale /= 10
      }
    }
    var offset: Int64 = 0
    if !take("Z") {
      let isWest = take("-")
      guard isWest || take("+"), let hours = number(2), take(":"), let minutes = number(2) else { return nil }
      offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
    guard rest.isEmpty else { return nil }
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
    self.init(microseconds: (Int64(timegm(&fields)) - offset) * 1_000_000 + fraction)
  }
}
