/// A method of an interface, as a type: generated, one for each, so that a call names its parameters and its reply.
public protocol VarlinkMethod: Sendable {
  /// What the method takes.
  associatedtype Parameters: VarlinkDecodable & VarlinkEncodable & Sendable
  /// What it answers.
  associatedtype Reply: VarlinkDecodable & VarlinkEncodable & Sendable
  /// The qualified name, such as `org.varlink.service.GetInfo`.
  static var name: String { get }
}
