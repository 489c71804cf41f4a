import Varlink

extension BrokerLinks {
  /// Fetches all pages of a list as one object; nil if the broker refuses.
  ///
  /// - Parameter list: The list's name in the reply. A reply without it counts as the only page.
  /// - Throws: as ``call(_:_:isAbandoned:)``.
  func callForAll(_ method: String, _ parameters: JSONObject, list: String) throws(PageError) -> [UInt8]? {
    let first = try call(method, parameters)
    guard first.error == nil else { return nil }
    guard var next = try Self.cursor(of: first) else { return first.rawParameters }
    var (whole, items, parameters) = (try Self.members(of: first), [JSONValue](), parameters)
    if case .array(let page)? = whole[list] { items = page }
    while true {
      parameters["cursor"] = .string(next)
      let reply = try call(method, parameters)
      guard reply.error == nil else { return nil }
      if case .array(let page)? = try Self.members(of: reply)[list] { items += page }
      guard let following = try Self.cursor(of: reply) else { break }
      next = following
    }
    whole[list] = .array(items)
    whole["cursor"] = .null
    var writer = JSONWriter()
    whole.encode(to: &writer)
    return writer.bytes
  }

  private struct PageEnd: VarlinkDecodable {
    var cursor: String?

    init(from reader: inout JSONReader) throws(VarlinkError) {
      var scope = try reader.beginObject()
      while try reader.nextKey(&scope) {
        if reader.matches("cursor") {
          cursor = try reader.field("cursor", 0, &scope, as: String?.self)
        } else {
          try reader.unknownField(&scope)
        }
      }
    }
  }

  private static func cursor(of reply: Reply) throws(PageError) -> String? {
    do { return try reply.decode(PageEnd.self).cursor } catch { throw unreadable }
  }

  private static func members(of reply: Reply) throws(PageError) -> JSONObject {
    do { return try reply.decode(JSONObject.self) } catch { throw unreadable }
  }

  private static let unreadable = PageError(
    .badReply, "The broker's list cannot be read. Check that photobroker-web and photobrokerd have the same version.")
}
