// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "attach",
  dependencies: [.package(name: "PhotoBroker", path: "../..")],
  targets: [
    .executableTarget(
      name: "attach", dependencies: [.product(name: "PhotoBroker", package: "PhotoBroker")],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
