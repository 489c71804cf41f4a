extension CommandOption {
  static let socket = CommandOption(
    "socket", "PATH", "the owner's socket (default: $PHOTOBROKER_ADMIN_SOCKET, else the user's, else the system's)",
    values: .file)
  static let json = CommandOption("json", "print the reply, or the error, as one JSON document")
  static let yes = CommandOption("yes", "do it without asking")
  static let quiet = CommandOption("quiet", "print results only, no remarks")
  static let wide = CommandOption("wide", "on a terminal, print whole identifiers and all columns of tables")
  static let help = CommandOption("help", "show how to use the command")
  static let version = CommandOption("version", "print the version")

  static let global = [socket, json, yes, quiet, wide, help, version]

  static let inApp = CommandOption("app", "APP", "only this app", values: .listed([.apps]))
  static let inLibrary = CommandOption("library", "LIBRARY", "only this library", values: .listed([.libraries]))
  static let level = CommandOption(
    "level", "LEVEL", "see-and-change or add-only", values: .owners(AccessWords.levels))
  static let limit = CommandOption("limit", "N", "how many at most, 1 to 1,000 (default: 100)")
  static let language = CommandOption(
    "language", "TAG", "language of the app's own words, for instance de (default: the locale's)")
  static let preview = CommandOption("preview", "show the effect, and change nothing")
  static let appSocket = CommandOption(
    "app-socket", "PATH", "the apps' socket (default: photobroker.sock beside the owner's)", values: .file)
}
