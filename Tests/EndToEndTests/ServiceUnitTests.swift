import Foundation
import TestSupport
import Testing

/// The systemd unit in `docs/`, checked with systemd's own tools.
@Suite(.realTime) struct ServiceUnitTests {
  private static let systemdAnalyze = "/usr/bin/systemd-analyze"

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Returns systemd's complaints about the unit after one value is changed.
  private func complaints(replacing key: String, by other: String) async throws -> String {
    // The changed unit starts another program, so footbridge need not be installed for this test.
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

  @Test func `the service may open every type of port to which a receiver can be connected`() throws
  {
    let text = try String(
      contentsOfFile: Repository.path("docs/footbridge.service"), encoding: .utf8)
    for driver in ["ttyACM", "ttyUSB", "ttyAMA", "ttyS"] {
      #expect(text.contains("\nDeviceAllow=char-\(driver) rw\n"))
    }
    // systemd permits only the devices that the kernel knows when the service starts.
    let modules = "modprobe@cdc_acm.service modprobe@usbserial.service"
    #expect(text.contains("\nWants=\(modules)\nAfter=\(modules)\n"))
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: systemdAnalyze),
      "needs systemd-analyze of the package systemd, which 'bash .ci/setup' installs"))
  func `systemd accepts the unit, and reports a deliberate mistake in it`() async throws {
    #expect(try await complaints(replacing: "", by: "") == "")
    let complaint = try await complaints(replacing: "RestrictSUIDSGID", by: "RestrictSUIDGID")
    #expect(complaint.contains("RestrictSUIDGID"))
  }
}
