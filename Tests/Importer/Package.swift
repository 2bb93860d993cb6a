// swift-tools-version: 6.2
import PackageDescription

// A program in another package, which imports the libraries as docs/models.md describes. The tests
// build and run it.
let package = Package(
  name: "importer",
  dependencies: [.package(name: "footbridge", path: "../..")],
  targets: [
    .executableTarget(
      name: "importer",
      dependencies: [
        .product(name: "ChunkFormat", package: "footbridge"),
        .product(name: "Export", package: "footbridge"),
        .product(name: "MetaWearProtocol", package: "footbridge"),
        .product(name: "NMEA", package: "footbridge"),
        .product(name: "Recording", package: "footbridge"),
        .product(name: "Storage", package: "footbridge"),
        .product(name: "Values", package: "footbridge"),
      ])
  ])
