import Glibc
import PluginHost
import PluginKit
import UnixSocket

/// `photobroker-plugin-host OBJECT`: loads one plugin and serves it on descriptor 3.
@main
enum PluginHostProgram {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      fail("usage: photobroker-plugin-host OBJECT (started by photobrokerd, with its socket as descriptor 3)")
    }
    let path = CommandLine.arguments[1]
    guard let object = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      fail("the plugin cannot be loaded: \(dlerror().map { String(cString: $0) } ?? "no reason given")")
    }
    guard let kit = dlsym(object, "photobroker_plugin_kit"), let register = dlsym(object, "photobroker_plugin_register") else {
      fail("this shared object is no PhotoBroker plugin: it lacks photobroker_plugin_kit or photobroker_plugin_register")
    }
    let version = unsafeBitCast(kit, to: (@convention(c) () -> Int).self)()
    guard version == PluginKitVersion.current else {
      fail("the plugin was built with kit \(version), and this host has kit \(PluginKitVersion.current): build it again")
    }
    let registry = PluginRegistry()
    unsafeBitCast(register, to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)(registry.pointer)
    guard registry.conflicts.isEmpty else {
      fail("the plugin registers a name twice: \(registry.conflicts.joined(separator: ", "))")
    }
    do {
      let connection = try BlockingConnection(FileDescriptor(owning: 3))
      try PluginServer(registry, kit: version, connection: connection).run()
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ message: String) -> Never {
    var line = message + "\n"
    line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    exit(1)
  }
}
