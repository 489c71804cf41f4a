import Foundation
import Glibc
import PluginHost
import PluginKit
import Testing

struct InstallationTests {
  let installed: Installed
  init() throws { installed = try Installed() }

  @Test func `R135 an uninstalled plugin is named with the searched folders`() throws {
    #expect { try installed.finder.program(for: "directory") } throws: { error in
      let message = (error as? PluginFailure)?.message ?? ""
      return message.contains("\"directory\"") && message.contains(installed.folder)
    }
    for name in ["", "../directory", "Directory", "a b", "a/b"] {
      #expect { try Installed.finder.program(for: name) } throws: { code($0) == .unsupported }
    }
  }

  @Test func `R135 removing the shared object removes the plugin without a replacement`() throws {
    let copy = installed.folder + "/libdirectory.so"
    try FileManager.default.copyItem(atPath: Installed.products + "/libdirectory.so", toPath: copy)
    let program = try installed.finder.program(for: "directory")
    unlink(copy)
    let storage = IsolatedStorage(
      name: "directory", settings: PluginSettings(options: ["path": installed.photos]), program: program)
    defer { storage.stop() }
    #expect { try storage.facts() } throws: { error in
      (error as? PluginFailure)?.code == .offline && "\(error)".contains("cannot be loaded")
    }
    #expect(throws: PluginFailure.self) { try installed.finder.program(for: "directory") }
  }

  @Test(arguments: ["no object", "text", "cut off", "another machine's", "no plugin"])
  func `an unloadable file is refused with a reason`(_ kind: String) throws {
    let path = installed.folder + "/libodd.so"
    let real = try Data(contentsOf: URL(fileURLWithPath: Installed.products + "/libdirectory.so"))
    switch kind {
    case "text": try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: path))
    case "cut off": try real.prefix(4_096).write(to: URL(fileURLWithPath: path))
    case "another machine's":
      var other = real
      other[18] = 0xf3
      try other.write(to: URL(fileURLWithPath: path))
    case "no plugin": try FileManager.default.copyItem(atPath: Installed.products + "/libPluginKit.so", toPath: path)
    default: break
    }
    #expect { try PluginObject.load(path) } throws: { error in
      let failure = error as? PluginFailure
      return failure?.code == .unsupported && (failure?.message.count ?? 0) > 40
    }
  }

  @Test func `another kit or compiler is refused, naming both`() throws {
    #expect(throws: Never.self) { try PluginKitVersion.check(PluginKitVersion.built.description) }
    for other in ["kit 2, swift 6.3.1", "kit 1, swift 6.2 or earlier", "", "kit 1, swift 6.3.1\u{1b}[2J"] {
      #expect { try PluginKitVersion.check(other) } throws: { error in
        let error = error as? PluginError
        let message = error?.message ?? ""
        return error?.code == .unsupported && message.contains(PluginKitVersion.built.description)
          && message.contains("Build it again")
          && !message.contains("\u{1b}")
      }
    }
  }

  @Test func `a plugin contains its own build information`() throws {
    // Otherwise it would report the broker's own version, and every comparison would succeed.
    let object = try Data(contentsOf: URL(fileURLWithPath: Installed.products + "/libdirectory.so"))
    #expect(object.range(of: Data(PluginKitVersion.built.description.utf8)) != nil)
  }

  @Test func `a name belongs to its first registrant`() throws {
    let registry = try PluginObject.load(Installed.products + "/libdirectory.so")
    #expect { try PluginObject.load(Installed.products + "/libdirectory.so", into: registry) } throws: {
      "\($0)".contains("storage directory")
    }
    #expect { try registry.makeStorage("rclone", options: [:]) } throws: { code($0) == .unsupported }
    #expect { try registry.makePolicy("directory", options: [:]) } throws: { code($0) == .unsupported }
  }
}
