import Foundation
import Testing

@testable import OwnerCommands

@Suite struct PluginTemplatesTests {
  @Test func `a plugin is the guide's example with its own name`() throws {
    let folder = try ScratchFolder()
    let kit = folder.path + "/kit"
    try FileManager.default.createDirectory(atPath: kit, withIntermediateDirectories: true)
    try "".write(toFile: kit + "/Package.swift", atomically: true, encoding: .utf8)
    #expect(run("plugin", "init", "--swift", "--kit", kit, folder.path + "/our-trips").status == 0)
    #expect(run("plugin", "init", "--python", folder.path + "/trips").status == 0)
    #expect(run("plugin", "init", "--go", folder.path + "/go-trips").status == 0)
    let examples = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Examples/"
    let files = [
      ("third-party-plugin/Package.swift", "our-trips/Package.swift", "our-trips", "OurTrips"),
      (
        "third-party-plugin/Sources/FamilyAlbums/FamilyAlbums.swift", "our-trips/Sources/OurTrips/OurTrips.swift",
        "our-trips", "OurTrips"
      ),
      (
        "third-party-plugin/Sources/FamilyAlbums/Register.swift", "our-trips/Sources/OurTrips/Register.swift",
        "our-trips", "OurTrips"
      ),
      ("python/family-albums.plugin", "trips/trips.plugin", "trips", "Trips"),
      ("go/go.mod", "go-trips/go.mod", "go-trips", "GoTrips"),
      ("go/main.go", "go-trips/main.go", "go-trips", "GoTrips"),
    ]
    for (example, written, name, module) in files {
      let expected = try String(contentsOfFile: examples + example, encoding: .utf8)
        .replacing("family-albums", with: name).replacing("FamilyAlbums", with: module)
        .replacing("../../Sources/PluginKit", with: kit)
      #expect(try String(contentsOfFile: folder.path + "/" + written, encoding: .utf8) == expected)
    }
    #expect(FileManager.default.isExecutableFile(atPath: folder.path + "/trips/trips.plugin"))
    #expect(run("plugin", "init", "--python", folder.path + "/trips").status == ExitCode.cannotCreate.rawValue)
    for name in ["swift", "plugin-kit", "self", "register", "album-policy"] {
      let refused = run("plugin", "init", "--swift", "--kit", kit, folder.path + "/" + name)
      #expect(refused.status == ExitCode.usage.rawValue && refused.console.complaints.joined().contains("is taken"))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/" + name))
    }
  }
}
