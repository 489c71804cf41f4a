import Testing
import Varlink

struct ServerConversationTests {
  private func text(_ writer: borrowing JSONWriter) -> String {
    String(decoding: writer.bytes, as: UTF8.self).replacing("\0", with: "|")
  }

  private func conversation(_ messages: String...) throws -> ServerConversation {
    var conversation = ServerConversation()
    for message in messages {
      try (Array(message.utf8) + [0]).withUnsafeBytes { try conversation.receive($0) }
    }
    return conversation
  }

  @Test func `calls are answered in order, one at a time`() throws {
    var connection = try conversation(#"{"method":"a.B.C"}"#, #"{"method":"a.B.D","parameters":{"x":1}}"#)
    var output = JSONWriter()
    let first = try #require(try connection.nextCall())
    #expect(first.method == "a.B.C" && first.interface == "a.B")
    #expect(try connection.nextCall() == nil)
    #expect(connection.pendingCalls == 1)
    try connection.reply(JSONObject(), to: &output)
    let second = try #require(try connection.nextCall())
    #expect(String(decoding: second.rawParameters, as: UTF8.self) == #"{"x":1}"#)
    try connection.fail(ServiceError.methodNotFound(method: "D"), to: &output)
    #expect(
      text(output)
        == #"{"parameters":{}}|{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"D"}}|"#)
    #expect(throws: VarlinkError.self) { try connection.reply(JSONObject(), to: &output) }
  }

  @Test func `a oneway call gets no reply, not even an error`() throws {
    var connection = try conversation(#"{"method":"a.B.C","oneway":true}"#, #"{"method":"a.B.C","oneway":true}"#)
    var output = JSONWriter()
    _ = try connection.nextCall()
    try connection.reply(JSONObject(), to: &output)
    _ = try connection.nextCall()
    try connection.fail(ServiceError.permissionDenied, to: &output)
    #expect(output.count == 0)
    #expect(connection.current == nil)
  }

  @Test func `a reply continues only if the call accepts more`() throws {
    var connection = try conversation(#"{"method":"a.B.C"}"#, #"{"method":"a.B.C","more":true}"#)
    var output = JSONWriter()
    _ = try connection.nextCall()
    #expect(throws: VarlinkError.protocolViolation("")) {
      try connection.reply(JSONObject(), continues: true, to: &output)
    }
    try connection.fail(ServiceError.expectedMore, to: &output)
    output.removeAll()
    _ = try connection.nextCall()
    try connection.reply(JSONObject(), continues: true, to: &output)
    #expect(connection.current != nil)
    try connection.reply(JSONObject(), to: &output)
    #expect(text(output) == #"{"parameters":{},"continues":true}|{"parameters":{}}|"#)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"method":""}"#, #"{"method":1}"#, #"{"method":"a.B.C","method":"a.B.D"}"#,
    #"{"method":"a.B.C","parameters":[]}"#, #"{"method":"a.B.C","oneway":true,"more":true}"#,
    #"{"method":"a.B.C","extra":1}"#, #"{"method":"a.B.C"} x"#, #"{"method":"a.B.C","parameters":{"a":1,"a":2}}"#,
    #"{"method":"a.B.C","more":null}"#,
  ])
  func `an invalid call ends the connection`(message: String) throws {
    var connection = try conversation(message)
    #expect(throws: VarlinkError.self) { try connection.nextCall() }
  }
}
