import Foundation
import TestSupport
import Testing

/// The service in `docs/`, as systemd reads it.
@Suite(.realTime) struct ServiceUnitTests {
  private static let systemdAnalyze = "/usr/bin/systemd-analyze"

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// The complaints of systemd about the unit after this change.
  private func complaints(replacing key: String, by other: String) async throws -> String {
    // Another program replaces ours, which need not be installed for this test.
    let text = try String(
      contentsOfFile: Repository.path("docs/footbridge.service"), encoding: .utf8
    )
    .replacingOccurrences(of: "/usr/local/bin/footbridge", with: "/bin/true")
    .replacingOccurrences(of: key, with: other)
    let path = scratch.path + "/footbridge.service"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let outcome = try await Program.run(Self.systemdAnalyze, ["--man=no", "verify", path])
    return outcome.output + outcome.errors
  }

  @Test func `the service may open every kind of port that a receiver has`() throws {
    let text = try String(
      contentsOfFile: Repository.path("docs/footbridge.service"), encoding: .utf8)
    for driver in ["ttyACM", "ttyUSB", "ttyAMA", "ttyS"] {
      #expect(text.contains("\nDeviceAllow=char-\(driver) rw\n"))
    }
    // systemd adds only what the kernel knows at the start of the service.
    let modules = "modprobe@cdc_acm.service modprobe@usbserial.service"
    #expect(text.contains("\nWants=\(modules)\nAfter=\(modules)\n"))
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: systemdAnalyze),
      "needs systemd-analyze of the package systemd, which 'bash .ci/setup' installs"))
  func `systemd has no complaints about the service, and would report them`() async throws {
    #expect(try await complaints(replacing: "", by: "") == "")
    let complaint = try await complaints(replacing: "RestrictSUIDSGID", by: "RestrictSUIDGID")
    #expect(complaint.contains("RestrictSUIDGID"))
  }
}
