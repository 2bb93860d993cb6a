import Foundation
import TestSupport
import Testing

/// Each fault causes one clear line with a remedy and the documented exit status, and leaves no
/// files.
@Suite(.realTime) struct BadInputTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func demo(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, ["demo"] + arguments,
      environment: scratch.environment.merging(environment) { $1 })
  }

  /// Expects an error in the documented style: the failed action and its object, then the indented
  /// remedy.
  private func expectError(
    _ outcome: Program.Outcome, status: Int32, saying text: String, remedy: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    let index = lines.firstIndex { $0.hasPrefix("error: ") && $0.contains(text) }
    #expect(index != nil, "\(outcome.errors)", sourceLocation: sourceLocation)
    let rest = lines[((index ?? -1) + 1)...]
    #expect(
      rest.contains { $0.hasPrefix("       ") && $0.contains(remedy) }, "\(outcome.errors)",
      sourceLocation: sourceLocation)
    scratch.expectNothingLeft(sourceLocation: sourceLocation)
  }

  @Test(arguments: ["0", "-1", "abc", "nan", "1e99"])
  func `an invalid duration is rejected before anything starts`(seconds: String) async throws {
    let outcome = try await demo("--seconds", seconds)
    expectError(outcome, status: 2, saying: "--seconds", remedy: "footbridge demo --help")
    #expect(outcome.output.isEmpty)
  }

  @Test func `an unwritable folder is rejected before anything starts`() async throws {
    let outcome = try await demo("--keep", "/proc/footbridge")
    expectError(outcome, status: 1, saying: "/proc/footbridge", remedy: "--keep")
  }

  @Test func `without dbus-daemon, the error names the package to install`() async throws {
    let outcome = try await demo("--seconds", "1", environment: ["PATH": scratch.path])
    expectError(outcome, status: 3, saying: "dbus-daemon", remedy: "apt install dbus")
  }

  @Test func `the error for an unknown option suggests a known one`() async throws {
    let outcome = try await demo("--second", "5")
    expectError(outcome, status: 2, saying: "--second", remedy: "--seconds")
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk needs root"))
  func `a full disk causes one clear error, and the last row of the table is complete`()
    async throws
  {
    let disk = scratch.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    let mount = try await Program.run(
      "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])
    guard mount.status == 0 else {
      try Test.cancel("cannot mount a small disk here: \(mount.errors)")
    }
    let outcome = try await demo("--seconds", "12", "--boards", "3", "--keep", disk)
    let files = try FileManager.default.contentsOfDirectory(atPath: disk)
    let table = try? String(contentsOfFile: disk + "/samples.csv", encoding: .utf8)
    _ = try await Program.run("/usr/bin/umount", ["-l", disk])
    expectError(outcome, status: 1, saying: disk, remedy: "space")
    // The rows that fit are complete. The tail keeps the samples for which the store has no space.
    #expect(table?.hasSuffix("\n") ?? true)
    #expect(
      files.allSatisfy { file in
        ["footbridge.sqlite", "samples.", "track.geojson"].contains { file.hasPrefix($0) }
      }, "\(files)")
  }
}
