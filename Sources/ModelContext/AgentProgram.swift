import Foundation
import Limits
import PhotoBroker

/// The program that `photobroker mcp` starts.
package enum AgentProgram {
  static let help = """
    photobroker-mcp: photos for an AI agent, as a server of the Model Context Protocol; see photobroker mcp --help

    usage: photobroker-mcp [--socket PATH] [--library NAME] [--name NAME] [--identifier ID] [--token-file FILE]
             [--read-only]
    """

  /// - Returns: the exit status.
  package static func run(_ words: [String]) async -> Int32 {
    if words == ["--help"] || words == ["-h"] {
      print(help)
      return 0
    }
    if words == ["--version"] {
      print("photobroker-mcp \(Product.version)")
      return 0
    }
    var options = AgentServer.Options()
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--read-only" {
        options.isReadOnly = true
        continue
      }
      guard ["--socket", "--library", "--name", "--identifier", "--token-file"].contains(word) else {
        return complain("unknown option \(word); see photobroker mcp --help")
      }
      guard let value = rest.popFirst(), !value.isEmpty else { return complain("\(word) needs a value") }
      switch word {
      case "--socket": options.socket = value
      case "--library": options.library = value
      case "--name": options.name = value
      case "--identifier": options.identifier = value
      default:
        guard access(value, R_OK) == 0 else { return complain("the token file \(value) cannot be read") }
        options.tokens = TokenFile(url: URL(fileURLWithPath: value))
      }
    }
    await AgentServer(options).serve()
    return 0
  }

  private static func complain(_ text: String) -> Int32 {
    FileHandle.standardError.write(Data("photobroker-mcp: \(text)\n".utf8))
    return 64
  }
}
