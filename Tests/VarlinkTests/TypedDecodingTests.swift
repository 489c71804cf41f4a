import Testing
import Varlink

/// A structure like the generator's.
private struct Outer: VarlinkDecodable, VarlinkEncodable, Equatable {
  var name: String
  var inner: [Inner]
  var limit: Int64?

  struct Inner: VarlinkDecodable, VarlinkEncodable, Equatable {
    var sort: String

    init(sort: String) { self.sort = sort }

    init(from reader: inout JSONReader) throws(VarlinkError) {
      var sort: String?
      var scope = try reader.beginObject()
      while try reader.nextKey(&scope) {
        if try reader.read("sort", 0, &scope, into: &sort) { continue }
        try reader.unknownField(&scope)
      }
      self.sort = try sort.required("sort")
    }

    func encode(to writer: inout JSONWriter) {
      writer.beginObject()
      writer.field("sort", sort)
      writer.endObject()
    }
  }

  init(name: String, inner: [Inner], limit: Int64?) { (self.name, self.inner, self.limit) = (name, inner, limit) }

  init(from reader: inout JSONReader) throws(VarlinkError) {
    var name: String?
    var inner: [Inner]?
    var limit: Int64??
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) {
      if try reader.read("name", 0, &scope, into: &name) { continue }
      if try reader.read("inner", 1, &scope, into: &inner) { continue }
      if try reader.read("limit", 2, &scope, into: &limit) { continue }
      try reader.unknownField(&scope, known: ["name", "inner", "limit"])
    }
    self.name = try name.required("name")
    self.inner = try inner.required("inner")
    self.limit = limit ?? nil
  }

  func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("name", name)
    writer.field("inner", inner)
    writer.field("limit", limit)
    writer.endObject()
  }
}

/// A structure of many fields, of which the error lists only the first.
private struct Wide: VarlinkDecodable {
  init(from reader: inout JSONReader) throws(VarlinkError) {
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) {
      try reader.unknownField(&scope, known: (0..<200).map { "fieldNumber\($0)" })
    }
  }
}

struct TypedDecodingTests {
  private func decode(_ text: String, _ rules: DecodingRules = .server) throws(VarlinkError) -> Outer {
    try Outer(message: Array(text.utf8), rules: rules)
  }

  @Test func `a structure is read in any order of fields and written in the interface's`() throws {
    let value = Outer(name: "n", inner: [.init(sort: "s")], limit: 5)
    #expect(try decode(#"{"limit":5,"inner":[{"sort":"s"}],"n\u0061me":"n"}"#) == value)
    #expect(JSON.text(value) == #"{"name":"n","inner":[{"sort":"s"}],"limit":5}"#)
  }

  @Test func `an absent optional equals a null one, and neither is written`() throws {
    let value = Outer(name: "n", inner: [], limit: nil)
    #expect(try decode(#"{"name":"n","inner":[],"limit":null}"#) == value)
    #expect(try decode(#"{"name":"n","inner":[]}"#) == value)
    #expect(JSON.text(value) == #"{"name":"n","inner":[]}"#)
  }

  @Test(
    arguments: [
      (#"{"name":1,"inner":[]}"#, .wrongType, "name"),
      (#"{"name":null,"inner":[]}"#, .wrongType, "name"),
      (#"{"inner":[]}"#, .missingField, "name"),
      (#"{"name":"n","inner":[{"sort":"s"},{"sort":[]}]}"#, .wrongType, "inner[1].sort"),
      (#"{"name":"n","inner":[{}]}"#, .missingField, "inner[0].sort"),
      (#"{"name":"n","inner":[{"sort":"s","x":1}]}"#, .unknownField, "inner[0].x"),
      (#"{"name":"n","inner":{}}"#, .wrongType, "inner"),
      (#"{"name":"n","inner":[],"limit":1.5}"#, .wrongType, "limit"),
      (#"{"name":"n","inner":[],"limit":9223372036854775808}"#, .numberOutOfRange, "limit"),
      (#"{"name":"n","inner":[],"a\u0000b\nc":1}"#, .unknownField, "a?b?c"),
    ] as [(String, VarlinkError.Code, String)])
  func `an error names the field's path`(text: String, code: VarlinkError.Code, field: String) {
    let error = #expect(throws: VarlinkError.self) { try decode(text) }
    #expect(error?.code == code)
    #expect(error?.field == field)
    #expect(error.map { ServiceError($0) } == .invalidParameter(parameter: field, problem: error?.message))
  }

  @Test func `an unknown field's error lists the known ones, and the nearest first`() {
    let far = #expect(throws: VarlinkError.self) { try decode(#"{"colour":1}"#) }
    #expect(far?.message.hasSuffix("no such field; it takes name, inner, limit") == true, "\(far as Any)")
    let near = #expect(throws: VarlinkError.self) { try decode(#"{"limits":1}"#) }
    #expect(
      near?.message.hasSuffix("no such field (did you mean limit?); it takes name, inner, limit") == true,
      "\(near as Any)")
    let many = #expect(throws: VarlinkError.self) { try Wide(message: Array(#"{"x":1}"#.utf8), rules: .server) }
    #expect(many.map { $0.message.utf8.count < 600 && $0.message.hasSuffix(", …") } == true, "\(many as Any)")
  }

  @Test func `a date as a text is refused with its unit`() {
    for (value, hasUnit) in [("\"2024-01-01\"", true), ("\"10\"", false), ("\"2024\"", false)] {
      let error = #expect(throws: VarlinkError.self) { try decode(#"{"limit":"# + value + "}") }
      #expect(error?.message.contains("microseconds") == hasUnit, "\(value)")
    }
  }

  @Test func `a client skips unknown fields and still refuses invalid JSON in them`() throws {
    #expect(try decode(#"{"x":{"y":[1]},"name":"n","inner":[],"z":0}"#, .client).name == "n")
    expectFailure(.duplicateKey) { try decode(#"{"x":1,"name":"n","inner":[],"x":2}"#, .client) }
    expectFailure(.duplicateKey) { try decode(#"{"x":{"y":1,"y":1},"name":"n","inner":[]}"#, .client) }
    expectFailure(.duplicateKey) { try decode(#"{"name":"n","inner":[],"name":"n"}"#, .client) }
  }

  @Test func `an error does not repeat the peer's values`() {
    let error = #expect(throws: VarlinkError.self) { try decode(#"{"name":["canary-value"],"inner":[]}"#) }
    #expect(error?.description.contains("canary") == false)
    let map = #expect(throws: VarlinkError.self) {
      try [String: Int64](message: Array(#"{"canary-key":"x"}"#.utf8), rules: .server)
    }
    #expect(map?.description.contains("canary") == false)
  }
}
