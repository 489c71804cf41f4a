/// The interface that every Varlink service serves besides its own.
public enum VarlinkServiceInterface {
  /// Its qualified name.
  public static let name = "org.varlink.service"

  /// Its text, as GetInterfaceDescription answers it.
  ///
  /// Source: https://varlink.org/Service
  public static let text = """
    # What every Varlink service serves: who it is, and which interfaces it has.
    interface org.varlink.service

    # Who the service is.
    method GetInfo() -> (
      # Who makes the service.
      vendor: string,
      # What the service is called.
      product: string,
      # Its version.
      version: string,
      # Where its documentation is.
      url: string,
      # The qualified names of the interfaces that it serves.
      interfaces: []string
    )

    # The text of an interface.
    method GetInterfaceDescription(
      # The interface's qualified name.
      interface: string
    ) -> (
      # The interface in the Varlink interface language.
      description: string
    )

    # The interface is not served here.
    error InterfaceNotFound (
      # The interface that was asked for.
      interface: string
    )

    # The interface has no such method.
    error MethodNotFound (
      # The method that was called.
      method: string
    )

    # The interface declares the method, and this service does not serve it.
    error MethodNotImplemented (
      # The method that was called.
      method: string
    )

    # A parameter is not what the interface declares.
    error InvalidParameter (
      # The path of the parameter, such as options.sort.
      parameter: string
    )

    # The caller may not do this.
    error PermissionDenied ()

    # The method answers several times and must be called with more.
    error ExpectedMore ()

    """
}
