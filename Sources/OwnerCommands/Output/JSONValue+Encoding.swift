import Varlink

extension JSONValue {
  /// A structure of the interface as a value, to be put into a document of ours.
  init(_ structure: some VarlinkEncodable) {
    // What our own writer wrote, our own reader reads; null is what an absent value is anyway.
    self = (try? JSONValue(message: structure.jsonBytes, rules: .client)) ?? .null
  }
}
