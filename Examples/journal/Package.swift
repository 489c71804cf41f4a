// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "journal",
  dependencies: [.package(name: "PhotoBroker", path: "../..")],
  targets: [
    .executableTarget(
      name: "journal", dependencies: [.product(name: "PhotoBroker", package: "PhotoBroker")],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
