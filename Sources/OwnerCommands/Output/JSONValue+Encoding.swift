import Varlink

extension JSONValue {
  /// Converts a structure of the interface, for a document of this program.
  init(_ structure: some VarlinkEncodable) {
    // Decoding our own encoding cannot fail.
    self = (try? JSONValue(message: structure.jsonBytes, rules: .client)) ?? .null
  }
}
