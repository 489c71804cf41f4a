struct Arguments {
  var access = SwiftGenerator.Access.public
  var output = ""
  var files: [String] = []

  init(_ arguments: [String]) throws(GenerationError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--access":
        guard let access = rest.popFirst().flatMap(SwiftGenerator.Access.init(rawValue:)) else { throw Self.usage }
        self.access = access
      case "--output":
        guard let output = rest.popFirst() else { throw Self.usage }
        self.output = output
      case _ where argument.hasPrefix("-"):
        throw Self.usage
      default:
        files.append(argument)
      }
    }
    if output.isEmpty || files.isEmpty { throw Self.usage }
  }

  private static let usage = GenerationError(
    message: "usage: varlink-generate [--access public|package] --output FOLDER FILE...")
}
