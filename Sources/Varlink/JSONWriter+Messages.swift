extension JSONWriter {
  /// Appends a whole call with its NUL.
  public mutating func appendCall<Parameters: VarlinkEncodable>(
    _ method: String, _ parameters: Parameters, more: Bool = false
  ) {
    needsComma = false
    beginObject()
    key("method")
    write(method)
    key("parameters")
    parameters.encode(to: &self)
    if more { flag("more") }
    endMessage()
  }

  /// Appends a whole reply with its NUL.
  public mutating func appendReply<Parameters: VarlinkEncodable>(_ parameters: Parameters, continues: Bool = false) {
    appendReply(continues: continues) { writer in parameters.encode(to: &writer) }
  }

  /// Appends a whole reply with its NUL, whose parameters `body` writes as one object.
  public mutating func appendReply(continues: Bool = false, _ body: (inout JSONWriter) -> Void) {
    needsComma = false
    beginObject()
    key("parameters")
    body(&self)
    if continues { flag("continues") }
    endMessage()
  }

  /// Appends a whole error reply with its NUL.
  public mutating func appendError<Failure: MethodError>(_ error: Failure) {
    needsComma = false
    beginObject()
    let name = error.name
    key("error")
    write(utf8: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    key("parameters")
    error.encode(to: &self)
    endMessage()
  }

  private mutating func flag(_ name: StaticString) {
    key(name)
    write(true)
  }

  private mutating func endMessage() {
    endObject()
    append(byte: 0)
    needsComma = false
  }
}
