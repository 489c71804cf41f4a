/// The errors of `org.varlink.service`, which any method may answer.
///
/// Source: https://varlink.org/Service
public enum ServiceError: MethodError, Hashable {
  /// The service does not have the interface.
  case interfaceNotFound(interface: String)
  /// The interface does not have the method.
  case methodNotFound(method: String)
  /// The interface declares the method, but this service does not implement it.
  case methodNotImplemented(method: String)
  /// A parameter does not match its declaration. `parameter` is its path, such as `options.sort`;
  /// `problem` is the decoder's reason, nil if a later check refused the value. The standard declares
  /// the path alone, and clients ignore fields that they do not know.
  case invalidParameter(parameter: String, problem: String? = nil)
  /// The caller may not do this.
  case permissionDenied
  /// The method answers several times and must be called with `more`.
  case expectedMore

  public static var name: StaticString { "org.varlink.service" }

  public var name: StaticString {
    switch self {
    case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
    case .methodNotFound: "org.varlink.service.MethodNotFound"
    case .methodNotImplemented: "org.varlink.service.MethodNotImplemented"
    case .invalidParameter: "org.varlink.service.InvalidParameter"
    case .permissionDenied: "org.varlink.service.PermissionDenied"
    case .expectedMore: "org.varlink.service.ExpectedMore"
    }
  }

  /// The reply to parameters that could not be decoded. If the error concerns no field, the path is
  /// `parameters`.
  public init(_ error: VarlinkError) {
    self = .invalidParameter(parameter: error.field.isEmpty ? "parameters" : error.field, problem: error.message)
  }

  public func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .interfaceNotFound(let interface): writer.field("interface", interface)
    case .methodNotFound(let method), .methodNotImplemented(let method): writer.field("method", method)
    case .invalidParameter(let parameter, let problem):
      writer.field("parameter", parameter)
      writer.field("problem", problem)
    case .permissionDenied, .expectedMore: break
    }
    writer.endObject()
  }

  /// The error of a reply; nil for an error of another interface.
  ///
  /// - Throws: `VarlinkError` if the error's parameters do not match their declaration.
  public init?(reply: Reply) throws(VarlinkError) {
    func text(_ name: String) throws(VarlinkError) -> String? {
      guard case .string(let text)? = try reply.decode(JSONObject.self)[name] else { return nil }
      return text
    }
    func parameter(_ name: StaticString) throws(VarlinkError) -> String { try text("\(name)").required(name) }
    switch reply.error {
    case "org.varlink.service.InterfaceNotFound": self = .interfaceNotFound(interface: try parameter("interface"))
    case "org.varlink.service.MethodNotFound": self = .methodNotFound(method: try parameter("method"))
    case "org.varlink.service.MethodNotImplemented": self = .methodNotImplemented(method: try parameter("method"))
    case "org.varlink.service.InvalidParameter":
      self = .invalidParameter(parameter: try parameter("parameter"), problem: try text("problem"))
    case "org.varlink.service.PermissionDenied": self = .permissionDenied
    case "org.varlink.service.ExpectedMore": self = .expectedMore
    default: return nil
    }
  }
}
