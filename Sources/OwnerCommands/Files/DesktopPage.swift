import Accounts

/// Opens the owner's page on the desktop. A process of its own fetches the login link.
struct DesktopPage: Sendable {
  private let command: [String]
  /// Without a desktop, `open` would print the link where others may read it, so it is not run.
  private let hasDesktop: Bool

  init(socket: String, _ environment: [String: String]) {
    command = [ProgramFolder.path() + "/photobroker", "--socket", socket, "open"]
    hasDesktop = Self.runtimeFolder(environment) != nil
  }

  /// The user's runtime folder; nil without a desktop.
  static func runtimeFolder(_ environment: [String: String]) -> String? {
    let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    guard hasDesktop, let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
    return folder
  }

  func open() {
    // A failure is reported by that program, and the notification's button stays for another try.
    if hasDesktop { try? Subprocess.run(command, isQuiet: true, advice: "Run photobroker open.") }
  }
}
