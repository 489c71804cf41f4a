// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "family-albums",
  products: [.library(name: "family-albums", type: .dynamic, targets: ["FamilyAlbums"])],
  dependencies: [.package(path: "../../Sources/PluginKit")],
  targets: [
    .target(
      name: "FamilyAlbums", dependencies: [.product(name: "PluginKit", package: "PluginKit")],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
