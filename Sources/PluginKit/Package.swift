// swift-tools-version: 6.2
import PackageDescription

// A package of its own, with one dynamic product: the broker and every plugin load the same shared object, so that
// types and the registry are the same on both sides. As a target of the root package it would be linked into each.

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
