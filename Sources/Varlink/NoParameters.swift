/// Empty parameters of a method, reply or error: `{}`.
public struct NoParameters: VarlinkDecodable, VarlinkEncodable, Hashable, Sendable {
  /// Creates the only value.
  public init() {}

  public init(from reader: inout JSONReader) throws(VarlinkError) {
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) { try reader.unknownField(&scope) }
  }

  public func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.endObject()
  }
}
