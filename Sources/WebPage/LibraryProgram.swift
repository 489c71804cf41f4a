import Accounts
import Glibc
import Synchronization

/// `photobroker library add`, which lets the broker's user read a folder of the page's user by an access
/// list, and takes that back if the broker refuses the library.
enum LibraryProgram {
  /// One runs at a time: a refused one takes back the access that another one needs.
  private static let turn = Mutex(())

  /// - Throws: `refused` with the program's words, `unavailable` if it cannot be run.
  static func add(_ path: String, as library: String, socket: String) throws(PageError) {
    try turn.withLock { _ throws(PageError) in try run(path, library, socket) }
  }

  private static func run(_ path: String, _ library: String, _ socket: String) throws(PageError) {
    let command = [
      ProgramFolder.path() + "/photobroker", "--socket", socket, "library", "add", "--yes", "--", library, path,
    ]
    let ending: Subprocess.Ending
    do throws(Subprocess.NotStarted) {
      ending = try Subprocess.run(command, capturesErrors: true) { actions in
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      }
    } catch {
      throw PageError(.unavailable, "The program photobroker cannot be run. Install it beside photobroker-web.")
    }
    guard ending.status == 0 else {
      // Notes come before the error.
      throw PageError(
        .refused, ending.errorLines.last.map(String.init) ?? "photobroker library add failed. Run it in a terminal.")
    }
  }
}
