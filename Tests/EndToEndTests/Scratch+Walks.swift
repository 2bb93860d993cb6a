import Foundation
import TestSupport
import Testing

extension Scratch {
  /// Records two simulated boards with notes, and returns the path of the store.
  func recordDemo(seconds: Int = 2) async throws -> String {
    let kept = path + "/kept"
    let demo = try await Program.run(
      Program.footbridge,
      ["demo", "--boards", "2", "--seconds", "\(seconds)", "--json", "--keep", kept],
      environment: environment)
    try #require(demo.status == 0, "\(demo.errors)")
    let store = kept + "/footbridge.sqlite"
    try await annotate(store)
    return store
  }

  /// Adds a hazard and a remark to the last session of a store.
  func annotate(_ store: String) async throws {
    for arguments in [
      ["hazard", "last", "Slippery=2"], ["annotate", "last", "a bridge, \"wet\""],
    ] {
      let noted = try await Program.run(
        Program.footbridge, arguments + ["--store", store], environment: environment)
      try #require(noted.status == 0, "\(noted.errors)")
    }
  }

  /// Returns all files exported from the last session in `--store` or `--folder`, by name.
  private func export(_ place: [String], _ format: String) async throws -> [String: Data] {
    let folder = path + "/export-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let export = try await Program.run(
      Program.footbridge,
      ["export"] + place + ["--format", format, "--output", folder + "/walk", "last"],
      environment: environment)
    try #require(export.status == 0, "\(export.errors)")
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = FileManager.default.contents(atPath: folder + "/" + name)
    }
    return files
  }

  /// Expects identical bytes from exports of the last session at two locations, in five formats.
  func expectSameExports(
    _ one: [String], _ other: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for format in ["csv", "jsonl", "json", "geojson", "gpx"] {
      let expected = try await export(one, format)
      let found = try await export(other, format)
      #expect(expected.count >= 2, sourceLocation: sourceLocation)
      #expect(expected.keys.sorted() == found.keys.sorted(), sourceLocation: sourceLocation)
      for (name, bytes) in expected {
        #expect(found[name] == bytes, "\(format): \(name)", sourceLocation: sourceLocation)
      }
    }
  }
}
