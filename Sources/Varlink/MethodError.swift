/// An error that an interface declares, with its parameters.
public protocol MethodError: Error, VarlinkEncodable, Sendable {
  /// The qualified name, such as `org.varlink.service.MethodNotFound`.
  static var name: StaticString { get }
  /// The qualified name of this value. An enumeration of several errors overrides it.
  var name: StaticString { get }
}

extension MethodError {
  /// The type's name.
  public var name: StaticString { Self.name }
}
