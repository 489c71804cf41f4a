import Glibc

/// `photobroker-clean`: plans the cleaning of hostile photos in a locked process. See README.md.
@main
enum CleanProgram {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.isEmpty { exit(CleaningServer.run()) }
    if arguments.count == 4, arguments[0] == "--write" {
      exit(CleanCopy.write(arguments[1], to: arguments[2], withholding: arguments[3]))
    }
    say(
      """
      photobroker-clean is started by photobrokerd, with its socket as descriptor 3.
        --write IN OUT FACTS   write a cleaned copy; FACTS is location, captions or location,captions
      """)
    exit(64)
  }

  static func say(_ message: String) {
    var line = message + "\n"
    line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
