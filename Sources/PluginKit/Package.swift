// swift-tools-version: 6.2
import PackageDescription

// A nested package with one dynamic product: the broker and every plugin load one shared object and
// share its types and registry. A target of the root package would be linked into each of them.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "PluginKit",
  products: [.library(name: "PluginKit", type: .dynamic, targets: ["PhotoModel", "PluginKit"])],
  targets: [
    .target(name: "PhotoModel", swiftSettings: settings),
    .target(name: "PluginKit", dependencies: ["PhotoModel"], swiftSettings: settings),
  ]
)
