import Foundation
import PhotoBroker

/// Attaches picked photos to a message. It asks for no permission, and receives the picked photos
/// alone.
@main
struct AttachProgram {
  static func main() async {
    // No usage description: an app with a picker alone never asks for the library.
    let manifest = AppManifest(identifier: "io.photobroker.example.attach", name: "Attach")
    let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? ".")
    do {
      var configuration = PickerConfiguration()
      configuration.selectionLimit = 0
      let selection = try await PhotoLibrary(manifest: manifest).presentPicker(configuration)
      if selection.isCancelled { return say("nothing attached") }
      say("\(selection.results.count) attached")
      for item in selection.results.compactMap(\.item) {
        let bytes = try await item.loadData()
        // The library chose the name, so only its last component is used.
        try bytes.write(to: folder.appendingPathComponent(URL(fileURLWithPath: item.filename).lastPathComponent))
        say("  \(item.filename): \(bytes.count) bytes")
      }
    } catch {
      FileHandle.standardError.write(Data("attach: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
