import Glibc
import PluginHost
import PluginKit
import Supervisor
import UnixSocket

/// `photobroker-plugin-host OBJECT [NAME]`: loads one plugin and serves it on descriptor 3. The
/// name is for lists of processes: the object of an installed plugin is a descriptor.
@main
enum PluginHostProgram {
  static func main() {
    guard (2...3).contains(CommandLine.arguments.count) else {
      fail("usage: photobroker-plugin-host OBJECT [NAME] (started by photobrokerd, with its socket as descriptor 3)")
    }
    // As the first process of a namespace it is sent no signal that it does not handle.
    if getpid() == 1 { signal(SIGABRT) { _ in _exit(ChildExit.abortedCode) } }
    let server: PluginServer
    do throws(PluginFailure) {
      let registry = try PluginObject.load(CommandLine.arguments[1])
      server = PluginServer(registry, kit: PluginKitVersion.current)
    } catch {
      fail(error.message)
    }
    do { try server.run(BlockingConnection(FileDescriptor(owning: 3))) } catch { fail("\(error)") }
  }

  private static func fail(_ message: String) -> Never {
    var line = message + "\n"
    line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    exit(1)
  }
}
