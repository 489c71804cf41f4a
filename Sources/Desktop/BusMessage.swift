/// One message of the session bus.
///
/// Source: https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-messages
struct BusMessage {
  enum Kind: UInt8 { case call = 1, reply = 2, error = 3, signal = 4 }

  var kind: Kind
  var serial: UInt32
  var path = ""
  var interface = ""
  var member = ""
  var destination = ""
  var signature = ""
  /// Of a reply or an error: the call's serial.
  var answers: UInt32 = 0
  var errorName = ""
  var body: [UInt8] = []
  var isBigEndian = false

  /// Bytes of the part that tells how long the rest is.
  static let headBytes = 16
  /// What we read at most. The bus itself would carry 128 MiB.
  static let limitBytes = 1 << 20

  var bodyReader: BusReader { BusReader(body, isBigEndian: isBigEndian) }

  init(_ kind: Kind, serial: UInt32) { (self.kind, self.serial) = (kind, serial) }

  /// The length of the whole message, by its head.
  static func length(_ head: [UInt8]) throws(DesktopError) -> Int {
    guard head.count >= headBytes, head[3] == 1, head[0] == UInt8(ascii: "l") || head[0] == UInt8(ascii: "B") else {
      throw BusReader.cut
    }
    var reader = BusReader(head, at: 4, isBigEndian: head[0] == UInt8(ascii: "B"))
    let body = Int(try reader.number())
    _ = try reader.number()
    let fields = Int(try reader.number())
    guard body <= limitBytes, fields <= limitBytes else { throw BusReader.cut }
    return (headBytes + fields + 7) / 8 * 8 + body
  }

  init(_ bytes: [UInt8]) throws(DesktopError) {
    guard bytes.count >= Self.headBytes else { throw BusReader.cut }
    let isBigEndian = bytes[0] == UInt8(ascii: "B")
    var reader = BusReader(bytes, at: 4, isBigEndian: isBigEndian)
    let bodyLength = Int(try reader.number())
    let number = try reader.number()
    let end = Int(try reader.number()) + Self.headBytes
    // What the specification does not know yet is to be passed over.
    self.init(Kind(rawValue: bytes[1]) ?? .call, serial: number)
    self.isBigEndian = isBigEndian
    guard bodyLength <= bytes.count, end <= bytes.count else { throw BusReader.cut }
    while reader.at < end {
      reader.align(8)
      try readField(&reader)
    }
    body = Array(bytes.suffix(bodyLength))
  }

  private mutating func readField(_ reader: inout BusReader) throws(DesktopError) {
    let field = try reader.byte()
    switch try reader.signature() {
    case "s", "o":
      let text = try reader.text()
      switch field {
      case 1: path = text
      case 2: interface = text
      case 3: member = text
      case 4: errorName = text
      case 6: destination = text
      default: break
      }
    case "g":
      let text = try reader.signature()
      if field == 8 { signature = text }
    case "u":
      let number = try reader.number()
      if field == 5 { answers = number }
    default: throw BusReader.cut
    }
  }

  /// As it goes over the bus.
  var encoded: [UInt8] {
    var writer = BusWriter()
    for byte in [UInt8(ascii: "l"), kind.rawValue, 0, 1] { writer.byte(byte) }
    writer.number(UInt32(body.count))
    writer.number(serial)
    writer.array(alignedTo: 8) { writer in
      for (number, type, text) in [(UInt8(1), "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)]
      where !text.isEmpty {
        writer.align(8)
        writer.byte(number)
        writer.signature(type)
        writer.text(text)
      }
      if !signature.isEmpty {
        writer.align(8)
        writer.byte(8)
        writer.signature("g")
        writer.signature(signature)
      }
    }
    writer.align(8)
    return writer.bytes + body
  }
}
