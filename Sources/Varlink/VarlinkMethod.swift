/// A method of an interface as a generated type, which binds its parameters and its reply.
public protocol VarlinkMethod: Sendable {
  /// The type of the parameters.
  associatedtype Parameters: VarlinkDecodable & VarlinkEncodable & Sendable
  /// The type of the reply.
  associatedtype Reply: VarlinkDecodable & VarlinkEncodable & Sendable
  /// The qualified name, such as `org.varlink.service.GetInfo`.
  static var name: String { get }
}
