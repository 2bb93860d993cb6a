// swift-tools-version: 6.2
import PackageDescription

// The settings of every Swift target. Strict memory safety requires each unsafe expression to be
// marked, and every warning is an error.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Excludes the regular-expression library, which would add more than a megabyte to the program.
// `TextSearch.swift` implements the text searches that would otherwise need the library.
let withoutRegularExpressions = SwiftSetting.unsafeFlags([
  "-Xfrontend", "-disable-implicit-string-processing-module-import",
])

// The commit and the date of a release, as shown by `--version`. `.ci/build-static` sets both.
let commit = Context.environment["FOOTBRIDGE_COMMIT"].map {
  SwiftSetting.unsafeFlags(["-Xcc", "-DFOOTBRIDGE_COMMIT=\"\($0)\""])
}

// A C library that the operating system provides. The module contains a module map and a shim, but
// no logic.
func system(_ name: String, _ library: String? = nil, package: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: library,
    providers: package.map { [.apt([$0])] })
}

// A C library that only some commands need. The target defines the library's functions. The first
// call to any of them opens the library.
func late(_ name: String) -> Target {
  .target(
    name: name, dependencies: name == "CLate" ? [] : ["CLate"], path: "Sources/System/\(name)",
    cSettings: [.unsafeFlags(["-fvisibility=hidden"])])
}

// A hot target runs code for each packet, sentence or sample, or simulates all of them. It is
// optimised in the debug build too, because tests of whole recordings would otherwise take twice as
// long. Overflow, bounds and exclusivity checks stay enabled. The other libraries are compiled
// without optimisation in the debug build, which takes a third of the time, and for size in the
// release build.
//
// A large target is compiled file by file in the release build too. Compiling it as a whole takes
// 1.5 GB, which is too much for a computer with 2 GB.
func library(
  _ name: String, in group: String? = nil, at path: String? = nil,
  _ dependencies: [Target.Dependency] = [], isHot: Bool = false, isLarge: Bool = false,
  with flags: [SwiftSetting] = []
) -> Target {
  var optimisation =
    isHot
    ? [SwiftSetting.unsafeFlags(["-O"], .when(configuration: .debug))]
    : [SwiftSetting.unsafeFlags(["-Osize"], .when(configuration: .release))]
  if isLarge {
    optimisation.append(
      .unsafeFlags(["-no-whole-module-optimization"], .when(configuration: .release)))
  }
  return .target(
    name: name, dependencies: dependencies,
    path: "Sources/" + (path ?? group.map { "\($0)/\(name)" } ?? name),
    swiftSettings: settings + optimisation + [withoutRegularExpressions] + flags)
}

func executable(
  _ name: String, at path: String? = nil, _ dependencies: [Target.Dependency]
) -> Target {
  // Links another copy of the runtime, which `.ci/build-static` creates.
  let runtime = Context.environment["FOOTBRIDGE_RUNTIME"].map { LinkerSetting.unsafeFlags([$0]) }
  return .executableTarget(
    name: name, dependencies: dependencies, path: "Sources/\(path ?? name)",
    swiftSettings: settings + [withoutRegularExpressions],
    linkerSettings: runtime.map { [$0] } ?? [])
}

// The sanitizers check an optimised product. Most tests are compiled without optimisation, which is
// faster. Tests of code that is specialised for its caller are optimised too.
func tests(
  _ name: String, in group: String? = nil, _ dependencies: [Target.Dependency],
  data: [String] = [], isOptimised: Bool = false
) -> Target {
  let plainly = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
  return .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"],
    path: "Tests/" + (group.map { "\($0)/\(name)" } ?? name), exclude: data,
    swiftSettings: settings + (isOptimised ? [] : [plainly]))
}

// The libraries that other packages can import. docs/models.md describes their types.
let importable = [
  "Values", "Recording", "ChunkFormat", "Storage", "SessionFolder", "Export", "MetaWearProtocol",
  "NMEA",
]

let package = Package(
  name: "footbridge",
  products: importable.map { .library(name: $0, targets: [$0]) } + [
    .executable(name: "footbridge", targets: ["footbridge"]),
    .executable(name: "footbridge-fleet", targets: ["footbridge-fleet"]),
    .executable(name: "conformance", targets: ["conformance"]),
    .executable(name: "inspect", targets: ["inspect"]),
    .executable(name: "fuzz", targets: ["fuzz"]),
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "count", targets: ["count"]),
  ],
  targets: [
    // System: C libraries, value types, databases, and access to the kernel and D-Bus.
    system("CLinux"),
    system("CSwiftTasks"),
    system("CRelease"),
    system("CDBus", "dbus-1", package: "libdbus-1-dev"),
    system("CBluetooth", "bluez", package: "libbluetooth-dev"),
    system("CSQLite", "sqlite3", package: "libsqlite3-dev"),
    system("CZlib", "zlib", package: "zlib1g-dev"),
    late("CLate"), late("CCurl"), late("CMicrohttpd"), late("CMosquitto"), late("COpenSSL"),
    late("CPostgres"), late("CQrencode"),
    library("Values", in: "System", isHot: true),
    library("Coding", in: "System", ["COpenSSL", "CZlib"]),
    library("RingBuffer", in: "System", isHot: true),
    library("LinuxSystem", in: "System", ["CLinux", "Values"]),
    library("SQLite", in: "System", ["CSQLite", "Values"]),
    library("DBus", in: "System", ["CDBus", "LinuxSystem", "Values"]),

    // Terminal: the console of a program, and its commands with their options, help and completion.
    library("Terminal", ["LinuxSystem", "Values"]),

    // Sessions: recorded data, its storage and its export.
    library("Recording", in: "Sessions", ["Values"], isHot: true),
    library("ChunkFormat", in: "Sessions", ["Coding", "Recording", "Values"], isHot: true),
    library(
      "Storage", in: "Sessions",
      ["ChunkFormat", "LinuxSystem", "Recording", "SQLite", "Values"]),
    library(
      "Export", in: "Sessions",
      ["ChunkFormat", "Coding", "LinuxSystem", "Recording", "Storage", "Values"], isHot: true),
    library("UploadProtocol", in: "Sessions", ["Recording", "Values"]),
    library(
      "SessionFolder", in: "Sessions",
      ["ChunkFormat", "UploadProtocol", "LinuxSystem", "Recording", "Values"]),

    // Positions: from NMEA sentences to fixes.
    library("NMEA", in: "Positions", ["Recording", "Values"], isHot: true),
    library(
      "Positioning", in: "Positions", ["LinuxSystem", "NMEA", "Recording", "RingBuffer", "Values"]),

    // Boards: the protocol of the sensors, the Bluetooth link and the driver.
    library("MetaWearProtocol", in: "Boards", ["Recording", "Values"], isHot: true),
    library(
      "BlueZ", in: "Boards", ["CBluetooth", "DBus", "LinuxSystem", "Recording", "Values"]),
    library(
      "BoardDriver", in: "Boards",
      ["LinuxSystem", "MetaWearProtocol", "Recording", "RingBuffer", "Values"], isHot: true),

    // Transfer: sending, receiving, and the destinations.
    library(
      "HTTPClient", in: "Transfer", ["CCurl", "LinuxSystem", "Values"]),
    library(
      "HTTPServer", in: "Transfer", ["CMicrohttpd", "LinuxSystem", "Values"]),
    library("Sharing", in: "Transfer", ["CMosquitto", "LinuxSystem", "Values"]),
    library(
      "Upload", in: "Transfer",
      [
        "ChunkFormat", "Coding", "HTTPClient", "LinuxSystem", "Recording", "SessionFolder",
        "UploadProtocol", "Values",
      ]),
    library(
      "UploadServer", in: "Transfer",
      [
        "ChunkFormat", "Coding", "HTTPServer", "LinuxSystem", "Recording", "UploadProtocol",
        "Values",
      ]),

    // Web: the page for phones, its access control, its maps, and its address as a QR code.
    .target(
      name: "CWebPage", path: "Sources/Web/WebPage", exclude: ["page"],
      cSettings: [.unsafeFlags(["-std=c23"])]),
    library(
      "Web", in: "Web",
      ["Coding", "CQrencode", "CWebPage", "HTTPServer", "LinuxSystem", "SQLite", "Values"]),

    // The product: the gateway, its command line, and a simulated world for trying it out.
    library(
      "Gateway",
      [
        "BlueZ", "BoardDriver", "ChunkFormat", "Coding", "DBus", "Export", "HTTPClient",
        "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording", "RingBuffer",
        "SessionFolder", "Sharing", "Storage", "Upload", "UploadProtocol", "Values",
      ]),
    library(
      "Simulation",
      ["CSwiftTasks", "DBus", "LinuxSystem", "MetaWearProtocol", "Recording", "Values"], isHot: true
    ),
    library(
      "CommandLineTool", at: "CommandLine",
      [
        "BlueZ", "BoardDriver", "CRelease", "Coding", "DBus", "Export", "Gateway", "HTTPClient",
        "HTTPServer", "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording",
        "SessionFolder", "Sharing", "Simulation", "Storage", "Terminal", "Upload", "UploadServer",
        "Values", "Web",
      ], isLarge: true, with: commit.map { [$0] } ?? []),
    executable("footbridge", ["CommandLineTool"]),

    // Fleet: a separate program that stores the data of many gateways in one database.
    library(
      "Fleet", in: "Fleet",
      [
        "Coding", "CPostgres", "HTTPClient", "HTTPServer", "LinuxSystem", "Recording", "Sharing",
        "UploadProtocol", "Values",
      ]),
    library(
      "FleetTool", in: "Fleet",
      [
        "CommandLineTool", "Export", "Fleet", "Gateway", "HTTPServer", "LinuxSystem", "Recording",
        "Sharing", "Storage", "Terminal", "Upload", "UploadServer", "Values", "Web",
      ]),
    executable("footbridge-fleet", at: "Fleet/footbridge-fleet", ["FleetTool", "Terminal"]),

    // Development: tools that are not part of a product.
    library("DiskFaults", in: "Development", ["CSQLite", "LinuxSystem"]),
    library(
      "Conformance", in: "Development",
      [
        "Coding", "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording", "Terminal",
        "Values",
      ]),
    executable("conformance", at: "Development/conformance-tool", ["Conformance", "LinuxSystem"]),
    library(
      "Inspection", in: "Development",
      ["LinuxSystem", "MetaWearProtocol", "NMEA", "Recording", "Terminal", "Values"]),
    executable("inspect", at: "Development/inspect-tool", ["Inspection", "Terminal"]),
    library(
      "Fuzzing", in: "Development",
      [
        "BoardDriver", "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording",
        "Values",
      ]),
    executable("fuzz", at: "Development/fuzz", ["Fuzzing"]),
    library(
      "FieldSimulation", in: "Development",
      [
        "BoardDriver", "ChunkFormat", "DBus", "DiskFaults", "Gateway", "LinuxSystem",
        "MetaWearProtocol", "Positioning", "Recording", "Simulation", "Storage", "Upload", "Values",
      ]),
    library(
      "HotPaths", in: "Development",
      ["BoardDriver", "MetaWearProtocol", "NMEA", "Recording", "RingBuffer", "Values"], isHot: true),
    executable("count", at: "Development/count", ["HotPaths", "LinuxSystem"]),
    library(
      "Benchmarks", in: "Development",
      [
        "BlueZ", "BoardDriver", "ChunkFormat", "Coding", "CSQLite", "DBus", "DiskFaults", "Export",
        "Fleet", "Gateway", "HotPaths", "HTTPServer", "LinuxSystem", "MetaWearProtocol",
        "Recording", "RingBuffer", "SessionFolder", "Sharing", "Simulation", "Storage",
        "Terminal", "UploadProtocol", "Values",
      ]),
    executable(
      "bench", at: "Development/bench",
      ["Benchmarks", "FieldSimulation", "LinuxSystem", "Terminal"]),

    // Tests, in the same order as the sources. The tests of whole programs come last.
    .target(
      name: "TestSupport",
      dependencies: [
        "CLinux", "HTTPServer", "LinuxSystem", "Recording", "Simulation", "Storage", "Values",
      ],
      path: "Tests/TestSupport", exclude: ["fault_server.py", "s3_server.py"],
      swiftSettings: settings),
    tests("ValuesTests", in: "System", ["Values"]),
    tests("CodingTests", in: "System", ["Coding", "LinuxSystem"]),
    tests("DBusTests", in: "System", ["DBus", "LinuxSystem", "Simulation"]),
    tests("LinuxSystemTests", in: "System", ["LinuxSystem", "Values"]),
    tests("RingBufferTests", in: "System", ["LinuxSystem", "RingBuffer"], isOptimised: true),
    tests("SQLiteTests", in: "System", ["LinuxSystem", "SQLite"]),
    tests(
      "SystemLibraryTests", in: "System", ["CBluetooth", "CCurl", "CDBus", "CSQLite"]),
    tests(
      "SessionFolderTests", in: "Sessions",
      [
        "SessionFolder", "ChunkFormat", "Export", "UploadProtocol", "LinuxSystem", "Recording",
        "Values",
      ]),
    tests(
      "ChunkFormatTests", in: "Sessions",
      ["ChunkFormat", "Coding", "LinuxSystem", "Recording", "Values"],
      data: ["golden-v1.chunk"]),
    tests(
      "ExportTests", in: "Sessions",
      ["ChunkFormat", "Export", "LinuxSystem", "Recording", "SQLite", "Storage", "Values"],
      data: ["check_export.py"]),
    tests("UploadProtocolTests", in: "Sessions", ["UploadProtocol", "Recording", "Values"]),
    tests("RecordingTests", in: "Sessions", ["NMEA", "Recording", "Simulation", "Values"]),
    tests(
      "StorageTests", in: "Sessions",
      ["ChunkFormat", "DiskFaults", "LinuxSystem", "Recording", "SQLite", "Storage", "Values"],
      data: ["golden-v1.store"]),
    tests("NMEATests", in: "Positions", ["NMEA", "Recording", "Values"]),
    tests(
      "PositioningTests", in: "Positions",
      ["LinuxSystem", "NMEA", "Positioning", "Recording", "RingBuffer", "Simulation", "Values"]),
    tests(
      "BlueZTests", in: "Boards",
      ["BlueZ", "DBus", "LinuxSystem", "MetaWearProtocol", "Recording", "Simulation", "Values"]),
    tests(
      "BoardDriverTests", in: "Boards",
      [
        "BoardDriver", "LinuxSystem", "MetaWearProtocol", "Recording", "RingBuffer", "Simulation",
        "Values",
      ]),
    tests("MetaWearProtocolTests", in: "Boards", ["MetaWearProtocol", "Recording", "Values"]),
    tests(
      "FleetTests", in: "Fleet",
      [
        "ChunkFormat", "Coding", "Fleet", "HTTPServer", "LinuxSystem", "Recording", "Sharing",
        "UploadProtocol", "Values",
      ]),
    tests(
      "FleetToolTests", in: "Fleet",
      [
        "CommandLineTool", "Fleet", "FleetTool", "LinuxSystem", "Sharing", "Terminal", "Values",
        "Web",
      ], data: ["help.txt"]),
    tests(
      "HTTPClientTests", in: "Transfer", ["Coding", "HTTPClient", "LinuxSystem", "Values"]),
    tests("HTTPServerTests", in: "Transfer", ["HTTPServer", "LinuxSystem"]),
    tests(
      "UploadServerTests", in: "Transfer",
      [
        "ChunkFormat", "Coding", "HTTPServer", "LinuxSystem", "Recording", "SessionFolder",
        "UploadProtocol", "UploadServer", "Values",
      ]),
    tests("SharingTests", in: "Transfer", ["LinuxSystem", "Sharing", "Values"]),
    tests(
      "UploadTests", in: "Transfer",
      [
        "ChunkFormat", "Coding", "Export", "HTTPClient", "LinuxSystem", "Recording",
        "SessionFolder", "Upload", "UploadProtocol", "Values",
      ],
      data: ["check_bodies.py", "read_back.py", "read_reports.py", "stub.py"]),
    tests(
      "WebTests", in: "Web", ["CLate", "HTTPServer", "LinuxSystem", "SQLite", "Values", "Web"]),
    tests(
      "CommandLineToolTests",
      [
        "BlueZ", "BoardDriver", "CommandLineTool", "DBus", "Export", "Gateway", "HTTPServer",
        "LinuxSystem", "MetaWearProtocol", "NMEA", "Positioning", "Recording", "SessionFolder",
        "Sharing", "Storage", "Terminal", "Upload", "UploadProtocol", "UploadServer", "Values",
      ],
      data: ["help.txt"]),
    tests(
      "GatewayTests",
      [
        "BlueZ", "BoardDriver", "ChunkFormat", "DBus", "DiskFaults", "Export", "Gateway",
        "HTTPClient", "LinuxSystem", "Positioning", "Recording", "RingBuffer", "SessionFolder",
        "Sharing", "Simulation", "SQLite", "Storage", "Upload", "UploadProtocol", "Values",
      ]),
    tests(
      "SimulationTests",
      ["DBus", "LinuxSystem", "MetaWearProtocol", "NMEA", "Recording", "Simulation", "Values"]),
    tests(
      "BenchmarksTests", in: "Development",
      [
        "Benchmarks", "ChunkFormat", "Fleet", "Gateway", "LinuxSystem", "Recording",
        "Simulation", "Values", "bench", "footbridge", "footbridge-fleet",
      ]),
    tests(
      "ConformanceTests", in: "Development",
      [
        "Coding", "Conformance", "Inspection", "LinuxSystem", "MetaWearProtocol", "NMEA",
        "Recording", "Values",
      ]),
    tests(
      "InspectionTests", in: "Development",
      ["Inspection", "LinuxSystem", "MetaWearProtocol", "Values", "inspect"]),
    tests("DiskFaultsTests", in: "Development", ["DiskFaults", "LinuxSystem"]),
    tests(
      "FieldSimulationTests", in: "Development",
      ["FieldSimulation", "LinuxSystem", "Recording", "Simulation", "Values", "bench"]),
    tests(
      "FuzzingTests", in: "Development", ["Fuzzing"],
      data: ["notification.hex", "receiver.hex", "session.hex"]),
    tests(
      "EndToEndTests",
      [
        "ChunkFormat", "Coding", "footbridge", "footbridge-fleet", "LinuxSystem", "Recording",
        "Sharing", "Storage", "UploadProtocol", "Values",
      ],
      data: [
        "bleak_client.py", "make_map.py", "openapi_hooks.py", "page_tour.py",
        "tours",
      ]),
  ]
)

// The tests worth running under each sanitizer: tests of multithreaded code, and tests of targets
// that pass pointers to C libraries. The former include the program whose demo runs the gateway's
// threads. `.ci/run` builds only these targets for a sanitizer.
let sanitized: [String: Set<String>] = [
  "threads": [
    "BoardDriverTests", "DBusTests", "FleetTests", "HTTPClientTests", "HTTPServerTests",
    "LinuxSystemTests", "PositioningTests", "RingBufferTests", "SharingTests",
    "UploadServerTests", "WebTests", "footbridge",
  ],
  "memory": [
    "CodingTests", "DBusTests", "FleetTests", "HTTPClientTests", "HTTPServerTests",
    "LinuxSystemTests", "RingBufferTests", "SharingTests", "SQLiteTests", "StorageTests",
    "SystemLibraryTests", "WebTests",
  ],
]
if let kind = Context.environment["FOOTBRIDGE_TESTS"] {
  guard let names = sanitized[kind] else {
    fatalError("FOOTBRIDGE_TESTS cannot be '\(kind)'; use 'threads' or 'memory'")
  }
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  var found = Array(names)
  while let name = found.popLast() {
    guard needed.insert(name).inserted, let target = targets[name] else { continue }
    found += target.dependencies.compactMap {
      switch $0 {
      case .targetItem(let name, _), .byNameItem(let name, _): name
      default: nil
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { !needed.contains($0.name) }
}
