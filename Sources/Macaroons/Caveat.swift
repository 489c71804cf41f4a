import Limits
import PhotoModel

/// One restriction in a token. The grammar is closed: an unknown caveat makes the token invalid.
public enum Caveat: Hashable, Sendable {
  /// `library = <name>`: only this library.
  case library(String)
  /// `app = <name>`: only this app.
  case app(String)
  /// `uid = <number>`: only a process of this user.
  case uid(UInt32)
  /// `level = addOnly` or `level = readWrite`: only this access level.
  case level(TokenLevel)
  /// `verbs = read,observe`: only these verbs; at least one.
  case verbs(Verbs)
  /// `before = <seconds since 1970>`: only before this time.
  case before(Int64)
  /// `assets = <identifier>,<identifier>`: only these assets; at least one, each of 32 hexadecimal
  /// digits.
  case assets(Set<UInt128>)
  /// `album = <identifier>`: only assets that are in this album, by its 32 hexadecimal digits.
  case album(UInt128)
  /// `createdFrom = <seconds since 1970>`: only assets created then or later.
  case createdFrom(Int64)
  /// `createdBefore = <seconds since 1970>`: only assets created before.
  case createdBefore(Int64)
  /// `withholds = location,captions`: without these facts; at least one.
  case withholds(WithheldFacts)
  /// `pixels = <number>`: pictures with at most this longest edge instead of files.
  case pixels(Int)
  /// `uses = <number>`: for this many calls, counted over all holders.
  case uses(Int64)
  /// `bytes = <number>`: for this many bytes of files and pictures, counted over all holders.
  case bytes(Int64)

  /// The caveat's text in a token.
  public var text: String {
    switch self {
    case .library(let name): "library = \(name)"
    case .app(let name): "app = \(name)"
    case .uid(let uid): "uid = \(uid)"
    case .level(let level): "level = \(level.rawValue)"
    case .verbs(let verbs): "verbs = \(verbs.names.joined(separator: ","))"
    case .before(let time): "before = \(time)"
    case .assets(let assets): "assets = \(assets.sorted().map { Hex.text($0) }.joined(separator: ","))"
    case .album(let album): "album = \(Hex.text(album))"
    case .createdFrom(let time): "createdFrom = \(time)"
    case .createdBefore(let time): "createdBefore = \(time)"
    case .uses(let count): "uses = \(count)"
    case .bytes(let count): "bytes = \(count)"
    case .pixels(let edge): "pixels = \(edge)"
    case .withholds(let facts): "withholds = \(facts.names.joined(separator: ","))"
    }
  }

  /// Parses a caveat; nil for any text outside the grammar, also for extra white space.
  public init?(_ text: [UInt8]) {
    guard let space = text.firstIndex(of: UInt8(ascii: " ")), text.count > space + 3,
      text[space + 1] == UInt8(ascii: "="), text[space + 2] == UInt8(ascii: " ")
    else { return nil }
    let value = text[(space + 3)...]
    let caveat: Caveat? =
      switch String(decoding: text[..<space], as: UTF8.self) {
      case "library": Self.name(value).map(Caveat.library)
      case "app": Self.name(value).map(Caveat.app)
      case "uid": Self.number(value).flatMap(UInt32.init(exactly:)).map(Caveat.uid)
      case "level": TokenLevel(rawValue: String(decoding: value, as: UTF8.self)).map(Caveat.level)
      case "verbs": Self.options(value, Verbs.init(name:)).map(Caveat.verbs)
      case "before": Self.number(value).map(Caveat.before)
      case "assets": Self.assets(value).map(Caveat.assets)
      case "album": (Hex.number(String(decoding: value, as: UTF8.self)) as UInt128?).map(Caveat.album)
      case "createdFrom": Self.time(value).map(Caveat.createdFrom)
      case "createdBefore": Self.time(value).map(Caveat.createdBefore)
      case "uses": Self.number(value).map(Caveat.uses)
      case "bytes": Self.number(value).map(Caveat.bytes)
      case "pixels":
        Self.number(value).flatMap { Int(exactly: $0) }.flatMap {
          BrokerLimits.picturePixels.contains($0) ? Caveat.pixels($0) : nil
        }
      case "withholds": Self.options(value, WithheldFacts.init(name:)).map(Caveat.withholds)
      default: nil
      }
    guard let caveat else { return nil }
    self = caveat
  }

  /// Letters, digits, `.`, `_` and `-`, compared byte by byte.
  private static func name(_ value: ArraySlice<UInt8>) -> String? {
    guard value.count <= MacaroonLimits.nameBytes,
      value.allSatisfy({
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      })
    else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  /// A non-negative number in its shortest form.
  private static func number(_ value: ArraySlice<UInt8>) -> Int64? {
    guard value.count <= 18, value.count == 1 || value.first != UInt8(ascii: "0") else { return nil }
    var number: Int64 = 0
    for digit in value {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number
  }

  /// A date in seconds, negative before 1970, in its shortest form.
  private static func time(_ value: ArraySlice<UInt8>) -> Int64? {
    let isNegative = value.first == UInt8(ascii: "-")
    guard let digits = number(isNegative ? value.dropFirst() : value), !isNegative || digits > 0 else { return nil }
    let time = isNegative ? -digits : digits
    let (microseconds, overflow) = time.multipliedReportingOverflow(by: 1_000_000)
    return !overflow && ServiceLimits.dates.contains(microseconds) ? time : nil
  }

  /// Names from a fixed list, each once.
  private static func options<Options: OptionSet>(
    _ value: ArraySlice<UInt8>, _ option: (String) -> Options?
  ) -> Options? where Options.Element == Options {
    var options: Options = []
    for word in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let named = option(String(decoding: word, as: UTF8.self)), options.insert(named).inserted else {
        return nil
      }
    }
    return options
  }

  private static func assets(_ value: ArraySlice<UInt8>) -> Set<UInt128>? {
    var assets: Set<UInt128> = []
    for word in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let asset: UInt128 = Hex.number(String(decoding: word, as: UTF8.self)), assets.insert(asset).inserted else {
        return nil
      }
    }
    return assets
  }
}
