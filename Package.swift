// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One row per module: its name and its dependencies. A dependency is added in a row and nowhere
// else; an undeclared import does not build.

/// Settings of every Swift target: language mode 6, warnings are errors, explicit imports.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Whether an app or a plugin names this package by URL, or its copy in the Debian package photobroker-dev, which
/// has no plugins. SwiftPM reads the manifest in `/` while it chooses a version, and afterwards in a folder of
/// `checkouts`, which lies beside `workspace-state.json`.
let isDependency =
  Context.packageDirectory == "/"
  || FileManager.default.fileExists(atPath: Context.packageDirectory + "/../../workspace-state.json")
  || !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Plugins")

/// The nested package whose one dynamic product is shared by the broker and every plugin.
let kit: Target.Dependency = isDependency ? "PluginKit" : .product(name: "PluginKit", package: "PluginKit")

// Targets that are left out where a library of theirs is missing; the programs then name the library.
let mediaLibraries = [
  "exiv2", "vips", "libavformat", "libavcodec", "libavutil", "libswscale", "libswresample", "libseccomp",
]
let packageFolders = [
  "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
]
.map { $0 + "/pkgconfig/" }
func isInstalled(_ library: String) -> Bool {
  packageFolders.contains { FileManager.default.fileExists(atPath: $0 + library + ".pc") }
}
let absent: Set<String> = Set(
  mediaLibraries.allSatisfy(isInstalled)
    ? [] : ["photobroker-media", "photobroker-video", "MediaWorker", "CGLib", "MediaClientTests"]
)
.union(isInstalled("libmicrohttpd") ? [] : ["photobroker-web", "WebPage", "WebPageTests", "CMicroHTTPD", "CWebPage"])
.union(isInstalled("libsystemd") ? [] : ["CDesktop"])
.union(isInstalled("fuse3") ? [] : ["photobroker-run", "PictureFolder", "PictureFolderTests", "CPictureFolder"])

func uses(_ names: [String]) -> [Target.Dependency] {
  names.filter { !absent.contains($0) }.map { $0 == "PluginKit" ? kit : .byName(name: $0) }
}

func module(
  _ name: String, _ dependencies: String..., adding extra: [SwiftSetting] = [], embedding files: [String] = [],
  generatedBy plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name, dependencies: uses(dependencies), resources: files.map { .embedInCode($0) },
    swiftSettings: settings + extra, plugins: plugins)
}

func shim(_ name: String, linking libraries: String...) -> Target {
  .target(name: name, linkerSettings: libraries.map { .linkedLibrary($0) })
}

func program(_ name: String, _ dependencies: String...) -> Target {
  .executableTarget(name: name, dependencies: uses(dependencies), swiftSettings: settings)
}

/// A program that reads photos, in C++.
func reader(_ name: String, linking libraries: String..., excluding: [String] = []) -> Target {
  .executableTarget(
    name: name, dependencies: ["MediaWorker"], exclude: excluding,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

func plugin(_ name: String, folder: String, _ dependencies: String...) -> Target {
  .target(
    name: name, dependencies: [kit] + uses(dependencies), path: "Plugins/\(folder)",
    exclude: ["README.md", "registration"] + (dependencies.isEmpty ? [] : ["shim"]), swiftSettings: settings)
}

/// The two C functions of a plugin's shared object, apart from the rest: tests link several plugins into one program.
func registration(of name: String, folder: String) -> Target {
  .target(
    name: name + "Registration", dependencies: [kit, .byName(name: name)], path: "Plugins/\(folder)/registration",
    swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: String..., excluding: [String] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: uses([name, "TestSupport"] + dependencies), exclude: excluding,
    swiftSettings: settings)
}

let table: [Target] = [
  // C: system calls that Swift's Glibc module lacks, and the two libraries that the daemon links.
  shim("CLinux"),
  shim("CSQLite", linking: "sqlite3"),
  shim("CCrypto", linking: "crypto"),

  // Limits, deliberate mistakes that prove the tests, and locks.
  module("Limits"),
  module("Proofs"),
  module("Monitor"),

  // Names of this machine's users, and starts of other programs. The broker asks a directory service
  // at its start alone.
  module("Accounts"),

  // The wire.
  module("Varlink", "Limits", adding: [.enableExperimentalFeature("Lifetimes")]),
  module("UnixSocket", "Varlink", "Monitor", "CLinux"),
  module("EventLoop", "Monitor", "CLinux"),
  .plugin(
    name: "VarlinkGenerator", capability: .buildTool(), dependencies: ["varlink-generate"],
    path: "Sources/VarlinkGenerator"),
  module("BrokerInterface", "Varlink", generatedBy: ["VarlinkGenerator"]),

  // Removal of places and captions from photos' bytes: the rules, and the worker's client.
  module("Cleaning"),
  module("CleaningClient", "Cleaning", "Monitor", "Supervisor", "UnixSocket"),

  // The decisions.
  module("Cryptography", "CCrypto"),
  module("Macaroons", "Limits", "Proofs", "PluginKit", "Cryptography"),
  module("Catalogue", "Proofs", "PluginKit"),
  module("Broker", "Limits", "Proofs", "PluginKit", "Cryptography", "Macaroons", "Catalogue"),

  // The parts that touch disk, processes and bytes.
  module("BrokerStore", "Broker", "PluginKit", "Catalogue", "Cryptography", "Monitor", "CSQLite", "CLinux"),
  module("Delivery", "Cleaning", "Monitor", "UnixSocket", "PluginKit", "CLinux"),
  module("Supervisor", "Monitor", "UnixSocket", "CLinux"),
  module("MediaClient", "Limits", "Monitor", "Supervisor", "UnixSocket", "PluginKit", "CLinux"),
  module(
    "PluginHost", "BrokerInterface", "Limits", "Monitor", "Supervisor", "UnixSocket", "Varlink", "PluginKit", "CLinux"),
  module(
    "PluginCatalogue", "PluginHost", "BrokerInterface", "Monitor", "Supervisor", "UnixSocket", "Varlink",
    "Cryptography", "PluginKit",
    "CLinux"),
  module(
    "PluginCheck", "BrokerInterface", "Cryptography", "Monitor", "PluginHost", "PluginKit", "Supervisor", "UnixSocket",
    "Varlink"),
  module("Indexer", "Broker", "Catalogue", "Limits", "PluginKit"),
  module(
    "BrokerService", "Broker", "BrokerStore", "BrokerInterface", "Catalogue", "Cleaning", "CleaningClient",
    "Cryptography", "Delivery",
    "EventLoop", "Indexer", "Limits", "Macaroons", "MediaClient", "Monitor", "PluginCatalogue", "PluginHost",
    "PluginKit", "Proofs",
    "Supervisor", "UnixSocket", "Varlink", "CLinux"),

  // What others link.
  module("PhotoBroker", "BrokerInterface", "Monitor", "UnixSocket", "Varlink", "CLinux"),

  // The person's desktop, by its session bus; libsystemd, without which `photobroker notify` says so.
  shim("CDesktop", linking: "systemd"),
  module("Desktop", "CDesktop"),

  // The owner's command line, apart from its process.
  module(
    "OwnerCommands", "Accounts", "BrokerInterface", "Desktop", "Limits", "Macaroons", "Monitor", "PluginCheck",
    "PluginHost", "PluginKit", "Supervisor", "UnixSocket", "Varlink", "CLinux",
    embedding: [
      "Package.swift", "FamilyAlbums.swift", "Register.swift", "family-albums.plugin", "go.mod", "main.go",
    ].map { "Templates/\($0).txt" }),

  // The owner's page: its server, its files, and libmicrohttpd, left out where that is missing.
  shim("CMicroHTTPD", linking: "microhttpd"),
  .target(name: "CWebPage", exclude: ["page"]),
  module(
    "WebPage", "Accounts", "BrokerInterface", "Limits", "Monitor", "UnixSocket", "Varlink", "CMicroHTTPD", "CWebPage",
    "CLinux"),

  // A folder of the assets that an app may see, for programs that do not know the broker. It needs
  // libfuse3, and is left out without it.
  shim("CPictureFolder", linking: "fuse3"),
  module("PictureFolder", "PhotoBroker", "CPictureFolder"),

  // Photos for AI agents, by the Model Context Protocol.
  module("ModelContext", "Limits", "PhotoBroker", "Varlink"),

  // Programs: arguments and wiring.
  program(
    "photobrokerd", "Accounts", "Broker", "BrokerService", "BrokerStore", "Limits", "PluginHost", "Supervisor",
    "UnixSocket"),
  program("photobroker", "OwnerCommands"),
  program("photobroker-web", "WebPage"),
  program("photobroker-mcp", "ModelContext"),
  program(
    "photobroker-run", "Accounts", "Limits", "PictureFolder", "PhotoBroker", "BrokerInterface", "Monitor", "UnixSocket",
    "Varlink"),
  program("photobroker-plugin-host", "PluginHost", "PluginKit", "Supervisor", "UnixSocket", "CLinux"),
  .executableTarget(
    name: "photobroker-clean", dependencies: uses(["Cleaning", "UnixSocket", "CLinux"]),
    exclude: ["README.md"], swiftSettings: settings),
  program("varlink-generate", "Varlink"),

  // C++: the programs that read photos, built where their libraries are (scripts/debian-packages); see the README of
  // photobroker-media. The second one also reads videos: libav is half of the libraries that it loads.
  .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0"),
  .target(
    name: "MediaWorker", dependencies: ["CGLib"], publicHeadersPath: ".",
    cxxSettings: [.define("NDEBUG", .when(configuration: .release))],
    linkerSettings: ["vips", "gmodule-2.0", "gobject-2.0", "exiv2", "seccomp", "m", "z"].map { .linkedLibrary($0) }),
  reader("photobroker-media", excluding: ["README.md"]),
  reader("photobroker-video", linking: "avformat", "avcodec", "avutil", "swscale", "swresample"),

  // For all modules' tests.
  .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
  // For the store's tests: changes with their expected results, and a program that writes them and
  // crashes.
  .target(
    name: "StoreScript", dependencies: uses(["Broker", "Catalogue", "PluginKit", "TestSupport"]),
    path: "Tests/StoreScript",
    swiftSettings: settings),
  .target(name: "CFaultLayer", path: "Tests/CFaultLayer", linkerSettings: [.linkedLibrary("sqlite3")]),
  .executableTarget(
    name: "store-crash-child", dependencies: uses(["BrokerStore", "StoreScript", "Broker", "CFaultLayer"]),
    path: "Tests/StoreCrashChild", swiftSettings: settings),
  // For the tests of the whole: an app of the client library.
  .executableTarget(
    name: "client-child", dependencies: uses(["PhotoBroker"]), path: "Tests/ClientChild", swiftSettings: settings),

  // Bundled plugins: each uses the kit and nothing else of ours.
  plugin("DirectoryStorage", folder: "directory", "CDirectoryStorage"),
  registration(of: "DirectoryStorage", folder: "directory"),
  .target(name: "CDirectoryStorage", path: "Plugins/directory/shim"),
  plugin("AlbumPolicies", folder: "album-policies"),
  registration(of: "AlbumPolicies", folder: "album-policies"),
  plugin("ContentMapping", folder: "content-mapping", "CContentMapping"),
  registration(of: "ContentMapping", folder: "content-mapping"),
  plugin("RcloneStorage", folder: "rclone"),
  registration(of: "RcloneStorage", folder: "rclone"),
  .target(name: "CContentMapping", path: "Plugins/content-mapping/shim", linkerSettings: [.linkedLibrary("crypto")]),

  tests("Varlink", "Limits"), tests("UnixSocket", "Monitor", "Varlink", "CLinux"), tests("EventLoop", "Monitor"),
  tests("BrokerInterface", "Varlink", "varlink-generate"),
  tests("Cleaning", "CleaningClient", "Supervisor", "UnixSocket", "CLinux", "photobroker-clean"),
  tests("Cryptography", "PluginKit"),
  tests("Macaroons", "Limits", "PluginKit", "Cryptography", excluding: ["Interoperability"]),
  tests("Catalogue", "PluginKit"),
  tests("Broker", "StoreScript", "Limits", "PluginKit", "Catalogue", "Cryptography", "Macaroons"),
  tests(
    "BrokerStore", "StoreScript", "store-crash-child", "Broker", "Catalogue", "PluginKit", "CSQLite", "CFaultLayer"),
  tests("Delivery", "Monitor", "Supervisor", "UnixSocket", "CLinux"),
  tests("Supervisor", "Monitor", "UnixSocket", "CLinux"),
  tests("PluginHost", "Limits", "Monitor", "Supervisor", "UnixSocket", "PluginKit"),
  // Not on the programs themselves: SwiftPM would link their libraries into the tests of all modules.
  tests("MediaClient", "Supervisor", "UnixSocket", "PluginKit", "CLinux"),
  tests("Indexer", "Broker", "Catalogue", "PluginKit"),
  tests(
    "BrokerService", "Limits", "Broker", "BrokerInterface", "Catalogue", "Macaroons", "Monitor", "PhotoBroker",
    "PluginKit", "UnixSocket",
    "Varlink"),
  tests("PhotoBroker", "BrokerInterface", "UnixSocket", "Varlink", "CLinux"),
  tests("PictureFolder", "PhotoBroker"), tests("WebPage"),
  tests("DirectoryStorage", "PluginKit"), tests("ContentMapping", "PluginKit"), tests("RcloneStorage", "PluginKit"),
  tests("OwnerCommands", "Accounts", "Cryptography", "Macaroons", "UnixSocket", "Varlink"),
]

/// `PHOTOBROKER_TESTS=Varlink,Broker swift test` builds only these modules' tests.
let wanted = Context.environment["PHOTOBROKER_TESTS"].map { Set($0.split(separator: ",").map { "\($0)Tests" }) }
let targets = table.filter { !absent.contains($0.name) && ($0.type != .test || (wanted?.contains($0.name) ?? true)) }

let package = Package(
  name: "PhotoBroker",
  products: [
    .library(name: "PhotoBroker", targets: ["PhotoBroker"]),
    .library(name: "directory", type: .dynamic, targets: ["DirectoryStorage", "DirectoryStorageRegistration"]),
    .library(name: "album-policies", type: .dynamic, targets: ["AlbumPolicies", "AlbumPoliciesRegistration"]),
    .library(name: "content", type: .dynamic, targets: ["ContentMapping", "ContentMappingRegistration"]),
    .library(name: "rclone", type: .dynamic, targets: ["RcloneStorage", "RcloneStorageRegistration"]),
  ],
  dependencies: [.package(path: "Sources/PluginKit")],
  targets: targets,
  cxxLanguageStandard: .cxx17
)

// As a dependency there are the client and the kit alone. A package by URL must not depend on a nested one, so the
// kit's targets are then the root's; they are linked into no other product.
if isDependency {
  let client: Set = [
    "PhotoBroker", "BrokerInterface", "VarlinkGenerator", "varlink-generate", "UnixSocket", "Varlink", "Monitor",
    "Limits", "CLinux",
  ]
  package.targets.removeAll { !client.contains($0.name) }
  package.products.removeAll { $0.name != "PhotoBroker" }
  package.products.append(.library(name: "PluginKit", type: .dynamic, targets: ["PhotoModel", "PluginKit"]))
  package.dependencies = []
  let folder = "Sources/PluginKit/Sources/"
  package.targets += [
    .target(name: "PhotoModel", path: folder + "PhotoModel", swiftSettings: settings),
    .target(name: "PluginKit", dependencies: ["PhotoModel"], path: folder + "PluginKit", swiftSettings: settings),
  ]
  // The client uses two of the interfaces. The owner's alone would take a third of the build's time.
  package.targets.first { $0.name == "BrokerInterface" }?.exclude = ["Admin", "Plugin", "Sandbox"]
    .map { "Interfaces/io.photobroker.\($0).varlink" }
}
