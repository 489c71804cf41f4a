/// The version of the kit; a plugin built against another is refused with a message that names both.
public enum PluginKitVersion {
  public static let current = 1
}
