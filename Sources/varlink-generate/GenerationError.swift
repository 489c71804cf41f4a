/// The reason why no Swift can be generated.
struct GenerationError: Error, CustomStringConvertible {
  let message: String
  var description: String { message }

  static let usage = Self(message: "usage: varlink-generate INTERFACE.varlink OUTPUT.swift")

  static func reservedName(_ name: String) -> Self {
    Self(message: "\(name) cannot be the name of a Swift type here; rename it in the interface")
  }

  static func range(_ name: String) -> Self {
    Self(
      message:
        "the comment of \(name) says a range that cannot be read; write `Range: 1 to 1,000.`, of numbers and arrays of "
        + "them only"
    )
  }
}
