// swift-tools-version: 6.2
import PackageDescription

// One list of settings for every Swift target: strict memory safety marks each unsafe expression,
// and no warning survives a build.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Optimised in the debug build too: tests of whole recordings and of a million samples would
// otherwise take three times as long. Checks of overflow, of bounds and of exclusive access stay.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  let optimised = SwiftSetting.unsafeFlags(["-O"], .when(configuration: .debug))
  return .target(name: name, dependencies: dependencies, swiftSettings: settings + [optimised])
}

// The sanitizers look at an optimised product. Tests that come with it are compiled plainly, which
// is sooner done, but for those of code that is specialised where it is used.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], data: [String] = [],
  isOptimised: Bool = false
) -> Target {
  let plainly = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
  return .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"], exclude: data,
    swiftSettings: settings + (isOptimised ? [] : [plainly]))
}

let package = Package(
  name: "footbridge",
  products: [
    .executable(name: "footbridge", targets: ["footbridge"]),
    .executable(name: "conformance", targets: ["conformance"]),
    .executable(name: "fuzz-notification", targets: ["fuzz-notification"]),
    .executable(name: "fuzz-session", targets: ["fuzz-session"]),
    .executable(name: "fuzz-receiver", targets: ["fuzz-receiver"]),
    .executable(name: "bench", targets: ["bench"]),
  ],
  targets: [
    // C libraries. A system module holds a module map and a shim, and no logic.
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CLinux"),

    // Pure: values in, values out.
    library("Recording"),
    library("RingBuffer"),
    library("MetaWearProtocol", ["Recording"]),
    library("NMEA", ["Recording"]),
    library("Inspection", ["MetaWearProtocol", "Recording"]),
    library("Interchange", ["Recording"]),
    library("Statistics", ["Recording"]),

    // Edges: one C library or one kind of device each.
    library("LinuxSystem", ["CLinux", "Recording"]),
    library("DBus", ["CDBus", "LinuxSystem", "Recording"]),
    library("BlueZ", ["DBus", "LinuxSystem", "Recording"]),
    library("HostController", ["CBluetooth", "LinuxSystem", "MetaWearProtocol", "Recording"]),
    library("ChunkFormat", ["CZstd", "Recording"]),
    library("Storage", ["CLinux", "CSQLite", "ChunkFormat", "LinuxSystem", "Recording"]),
    library("Export", ["ChunkFormat", "LinuxSystem", "Recording"]),
    library(
      "Archive", ["ChunkFormat", "Export", "Interchange", "LinuxSystem", "Recording"]),
    library("Cryptography", ["COpenSSL"]),
    library("HTTPClient", ["CCurl", "LinuxSystem"]),
    library("HTTPServer", ["CLinux", "CMicrohttpd", "LinuxSystem", "Recording"]),

    // Domain.
    library("Boards", ["CLinux", "LinuxSystem", "MetaWearProtocol", "Recording", "RingBuffer"]),
    library("Positioning", ["LinuxSystem", "NMEA", "Recording", "RingBuffer"]),
    library(
      "Upload",
      ["Archive", "CZlib", "Cryptography", "HTTPClient", "Interchange", "LinuxSystem", "Recording"]),
    library(
      "Reception",
      [
        "CZlib", "ChunkFormat", "Cryptography", "HTTPServer", "Interchange", "LinuxSystem",
        "Recording",
      ]),
    library(
      "Firestore",
      [
        "ChunkFormat", "Cryptography", "Export", "HTTPClient", "Interchange", "LinuxSystem",
        "Recording", "Upload",
      ]),
    library(
      "Gateway",
      [
        "Archive", "BlueZ", "Boards", "ChunkFormat", "Cryptography", "DBus", "Export", "Firestore",
        "HTTPClient", "HostController", "Interchange", "LinuxSystem", "MetaWearProtocol", "NMEA",
        "Positioning", "Reception", "Recording", "RingBuffer", "Statistics", "Storage", "Upload",
      ]),
    library(
      "Simulation", ["DBus", "LinuxSystem", "MetaWearProtocol", "Recording"]),
    library(
      "CommandLineTool",
      [
        "Archive", "BlueZ", "Boards", "DBus", "Export", "Firestore", "Gateway", "HTTPClient",
        "HTTPServer", "Inspection", "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning",
        "Reception", "Recording", "Simulation", "Storage", "Upload",
      ]),
    // Between SQLite and its files, for tests.
    library("DiskFaults", ["CSQLite", "LinuxSystem"]),
    library("Conformance", ["MetaWearProtocol", "NMEA", "Positioning", "Recording"]),
    .executableTarget(
      name: "conformance", dependencies: ["Conformance", "LinuxSystem"],
      path: "Sources/conformance-tool",
      swiftSettings: settings),
    library(
      "Fuzzing",
      ["Boards", "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording"]),
    .executableTarget(
      name: "fuzz-notification", dependencies: ["Fuzzing"], swiftSettings: settings),
    .executableTarget(
      name: "fuzz-session", dependencies: ["Fuzzing"], swiftSettings: settings),
    .executableTarget(
      name: "fuzz-receiver", dependencies: ["Fuzzing"], swiftSettings: settings),
    library(
      "Benchmarks",
      [
        "Archive", "BlueZ", "Boards", "CSQLite", "ChunkFormat", "CommandLineTool", "DBus",
        "DiskFaults", "Export", "Gateway", "Interchange", "LinuxSystem", "MetaWearProtocol", "NMEA",
        "Recording", "RingBuffer", "Simulation", "Storage",
      ]),
    .executableTarget(
      name: "bench", dependencies: ["Benchmarks", "CommandLineTool", "LinuxSystem"],
      swiftSettings: settings),
    .executableTarget(
      name: "footbridge", dependencies: ["CommandLineTool", "LinuxSystem"],
      swiftSettings: settings),

    // Each library's tests, then the executable as a whole.
    .target(
      name: "TestSupport",
      dependencies: ["CLinux", "HTTPServer", "LinuxSystem", "Recording", "Storage"],
      path: "Tests/TestSupport", exclude: ["fault_server.py"], swiftSettings: settings),
    tests("SystemLibraryTests", ["CBluetooth", "CCurl", "CDBus", "CSQLite", "CZstd"]),
    tests("RecordingTests", ["Recording"]),
    tests("RingBufferTests", ["LinuxSystem", "RingBuffer"], isOptimised: true),
    tests("MetaWearProtocolTests", ["MetaWearProtocol", "Recording"]),
    tests(
      "ConformanceTests",
      [
        "Conformance", "Inspection", "LinuxSystem", "MetaWearProtocol", "NMEA", "Recording",
      ]),
    tests("InspectionTests", ["Inspection", "MetaWearProtocol", "Recording"]),
    tests("StatisticsTests", ["NMEA", "Recording", "Simulation", "Statistics"]),
    tests("FuzzingTests", ["Fuzzing"], data: ["notification.hex", "receiver.hex", "session.hex"]),
    tests(
      "BenchmarksTests",
      [
        "Benchmarks", "ChunkFormat", "LinuxSystem", "Recording", "Simulation", "bench",
        "footbridge",
      ]
    ),
    tests("NMEATests", ["NMEA", "Recording"]),
    tests(
      "UploadTests",
      [
        "Archive", "ChunkFormat", "Cryptography", "HTTPClient", "Interchange", "LinuxSystem",
        "Recording", "Upload",
      ]),
    tests("LinuxSystemTests", ["LinuxSystem", "Recording"]),
    tests("HTTPServerTests", ["HTTPServer", "LinuxSystem"]),
    tests(
      "ReceptionTests",
      [
        "ChunkFormat", "Cryptography", "HTTPServer", "Interchange", "LinuxSystem", "Reception",
        "Recording",
      ]),
    tests("DBusTests", ["DBus", "LinuxSystem", "Simulation"]),
    tests(
      "BlueZTests", ["BlueZ", "DBus", "LinuxSystem", "MetaWearProtocol", "Recording", "Simulation"]),
    tests(
      "HostControllerTests", ["HostController", "LinuxSystem", "MetaWearProtocol", "Recording"]),
    tests("HTTPClientTests", ["HTTPClient", "LinuxSystem", "Recording"]),
    tests(
      "ChunkFormatTests", ["ChunkFormat", "LinuxSystem", "Recording"],
      data: ["golden-v1.chunk", "golden-v2.chunk", "golden-v3.chunk"]),
    tests("DiskFaultsTests", ["DiskFaults"]),
    tests(
      "ArchiveTests",
      [
        "Archive", "ChunkFormat", "Export", "Interchange", "LinuxSystem", "Recording",
      ]
    ),
    tests("InterchangeTests", ["Interchange", "Recording"]),
    tests(
      "StorageTests",
      ["ChunkFormat", "DiskFaults", "LinuxSystem", "Recording", "Storage"]),
    tests("CryptographyTests", ["Cryptography", "LinuxSystem"]),
    tests(
      "FirestoreTests",
      [
        "ChunkFormat", "Cryptography", "Export", "Firestore", "HTTPClient", "Interchange",
        "LinuxSystem", "Recording", "Upload",
      ], data: ["check_bodies.py", "read_back.py", "stub.py"]),
    tests(
      "ExportTests", ["ChunkFormat", "Export", "LinuxSystem", "Recording"],
      data: ["check_export.py"]),
    tests(
      "BoardsTests",
      [
        "Boards", "LinuxSystem", "MetaWearProtocol", "Recording", "RingBuffer", "Simulation",
      ]),
    tests(
      "PositioningTests",
      [
        "LinuxSystem", "NMEA", "Positioning", "Recording", "RingBuffer", "Simulation",
      ]),
    tests(
      "SimulationTests",
      ["DBus", "LinuxSystem", "MetaWearProtocol", "NMEA", "Recording", "Simulation"]),
    tests(
      "GatewayTests",
      [
        "Archive", "BlueZ", "Boards", "ChunkFormat", "DBus", "DiskFaults", "Export", "Gateway",
        "HTTPClient", "HostController", "Interchange", "LinuxSystem", "Positioning", "Recording",
        "RingBuffer", "Simulation", "Storage", "Upload",
      ]),
    tests(
      "CommandLineToolTests",
      [
        "Archive", "BlueZ", "Boards", "CommandLineTool", "Gateway", "Inspection", "Interchange",
        "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording", "Storage", "Upload",
      ]),
    tests(
      "EndToEndTests",
      [
        "ChunkFormat", "Cryptography", "Interchange", "LinuxSystem", "Recording", "Storage",
        "footbridge",
      ],
      data: ["bleak_client.py", "compare_export.py", "openapi_hooks.py"]),
  ]
)

// What each sanitizer can find something in: threads, and lines that are unsafe, with the composed
// program for both. `.ci/run` has only these built for them.
let sanitized: [String: Set<String>] = [
  "threads": [
    "BlueZTests", "BoardsTests", "DBusTests", "EndToEndTests", "FirestoreTests", "GatewayTests",
    "HTTPClientTests", "HTTPServerTests", "HostControllerTests", "LinuxSystemTests",
    "PositioningTests", "ReceptionTests", "RingBufferTests", "UploadTests",
  ],
  "memory": [
    "ArchiveTests", "BoardsTests", "ChunkFormatTests", "CryptographyTests", "DBusTests",
    "DiskFaultsTests", "EndToEndTests", "ExportTests", "GatewayTests", "HTTPClientTests",
    "HTTPServerTests", "HostControllerTests", "LinuxSystemTests", "PositioningTests",
    "ReceptionTests", "RingBufferTests", "StorageTests", "SystemLibraryTests", "UploadTests",
  ],
]
if let kind = Context.environment["FOOTBRIDGE_TESTS"] {
  guard let names = sanitized[kind] else {
    fatalError("FOOTBRIDGE_TESTS cannot be '\(kind)'; it is 'threads' or 'memory'")
  }
  let tools: Set = [
    "Benchmarks", "Conformance", "Fuzzing", "bench", "conformance", "fuzz-notification",
    "fuzz-receiver", "fuzz-session",
  ]
  package.targets.removeAll {
    $0.type == .test && !names.contains($0.name) || tools.contains($0.name)
  }
  package.products.removeAll { $0.name != "footbridge" }
}
