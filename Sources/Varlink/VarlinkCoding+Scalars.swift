extension Bool: VarlinkDecodable, VarlinkEncodable {
  public init(from reader: inout JSONReader) throws(VarlinkError) { self = try reader.readBool() }
  public func encode(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int64: VarlinkDecodable, VarlinkEncodable {
  public init(from reader: inout JSONReader) throws(VarlinkError) { self = try reader.readInteger() }
  public func encode(to writer: inout JSONWriter) { writer.write(self) }
}

extension Double: VarlinkDecodable, VarlinkEncodable {
  public init(from reader: inout JSONReader) throws(VarlinkError) { self = try reader.readDouble() }
  public func encode(to writer: inout JSONWriter) { writer.write(self) }
}

extension String: VarlinkDecodable, VarlinkEncodable {
  public init(from reader: inout JSONReader) throws(VarlinkError) { self = try reader.readString() }
  public func encode(to writer: inout JSONWriter) { writer.write(self) }
}
