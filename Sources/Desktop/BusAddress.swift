/// Where the person's session bus is.
///
/// Source: https://dbus.freedesktop.org/doc/dbus-specification.html#addresses
package enum BusAddress {
  /// The bus's socket: of `$DBUS_SESSION_BUS_ADDRESS` the first that is a path, else the one that systemd makes.
  ///
  /// - Throws: `noBus`.
  package static func path(_ environment: [String: String]) throws(DesktopError) -> String {
    let address = environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
    for server in address.split(separator: ";") {
      if let path = path(ofServer: server) { return path }
    }
    if address.isEmpty, let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return folder + "/bus" }
    throw DesktopError(
      .noBus,
      "There is no session bus here, so no desktop to notify; start this from the desktop, where DBUS_SESSION_BUS_ADDRESS is set."
    )
  }

  private static func path(ofServer server: Substring) -> String? {
    guard server.hasPrefix("unix:") else { return nil }
    for pair in server.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
      return unescaped(pair.dropFirst("path=".count))
    }
    return nil
  }

  /// Bytes other than letters, digits and a few signs are written as % and two hexadecimal digits.
  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}
