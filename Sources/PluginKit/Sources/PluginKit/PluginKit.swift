/// The version of the kit. A plugin has the number in it of the kit that it was built with; the broker refuses another one
/// with a message that names both.
public enum PluginKitVersion {
  @inlinable public static var current: Int { 1 }
}
