/// An error that an interface declares, with its parameters: what a method answers instead of its reply.
public protocol MethodError: Error, VarlinkEncodable, Sendable {
  /// The qualified name, such as `org.varlink.service.MethodNotFound`.
  static var name: StaticString { get }
  /// The qualified name of this value; an enumeration of several errors overrides it.
  var name: StaticString { get }
}

extension MethodError {
  /// The name of its type.
  public var name: StaticString { Self.name }
}
