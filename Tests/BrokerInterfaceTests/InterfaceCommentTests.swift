import Testing
import Varlink

struct InterfaceCommentTests {
  @Test func `every member and field of every interface has a comment`() throws {
    for file in try InterfaceFiles.all {
      let interface = try InterfaceDescription(parsing: InterfaceFiles.text(file))
      #expect(!interface.comment.isEmpty, "\(interface.name) has no comment")
      #expect(Self.uncommented(interface).isEmpty, "no comment in \(interface.name): \(Self.uncommented(interface))")
    }
  }

  @Test func `a missing comment is found at any depth`() throws {
    let interface = try InterfaceDescription(
      parsing: """
        interface a.B
        # T
        type T (
          # x
          x: [](
            y: int
          ),
          z: bool
        )
        method M() -> ()
        """)
    #expect(Self.uncommented(interface) == ["T.x.y", "T.z", "M"])
  }

  static func uncommented(_ interface: InterfaceDescription) -> [String] {
    interface.members.flatMap { member in
      let fields: [InterfaceField] =
        switch member.kind {
        case .type(let type): self.fields(of: type)
        case .method(let parameters, let reply): parameters + reply
        case .error(let parameters): parameters
        }
      return (member.comment.isEmpty ? [member.name] : []) + fields.flatMap { uncommented($0, in: member.name) }
    }
  }

  private static func uncommented(_ field: InterfaceField, in outer: String) -> [String] {
    let name = "\(outer).\(field.name)"
    return (field.comment.isEmpty ? [name] : [])
      + (field.type.map(fields(of:)) ?? []).flatMap { uncommented($0, in: name) }
  }

  private static func fields(of type: InterfaceType) -> [InterfaceField] {
    switch type {
    case .structure(let fields), .enumeration(let fields): fields
    case .optional(let inner), .array(let inner), .map(let inner): fields(of: inner)
    case .bool, .int, .float, .string, .object, .named: []
    }
  }
}
