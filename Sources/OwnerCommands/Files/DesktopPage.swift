/// Opens the owner's page on the desktop, by a process that fetches a link of its own.
struct DesktopPage: Sendable {
  private let command: [String]
  /// Whether there is a desktop to open it on: without one the link would be printed where others may read it.
  private let hasDesktop: Bool

  init(socket: String, _ environment: [String: String]) {
    command = [ProgramFolder.path() + "/photobroker", "--socket", socket, "open"]
    hasDesktop =
      ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
      && environment["XDG_RUNTIME_DIR"] != nil
  }

  func open() {
    // What failed is said by the program itself; the notification stays, to be pressed again.
    if hasDesktop { try? ChildProcess.run(command, isQuiet: true, advice: "Say photobroker open.") }
  }
}
