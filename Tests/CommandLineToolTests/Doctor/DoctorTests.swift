@testable import CommandLineTool
@testable import Terminal
import DBus
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The complete set of checks, run on simulated file trees.
@Suite(.realTime) struct DoctorTests {
  @Test func `in a container without a bus, systemd or devices, the checks still report findings`()
    async throws
  {
    let files = try TestTree(["/proc/self/mountinfo": "27 1 254:0 / / rw - ext4 /dev/vda rw"])
    let scratch = try TemporaryFolder()
    var doctor = Doctor(
      tree: files.tree, bus: .at("unix:path=/nowhere/bus"), store: scratch.path + "/walks.sqlite")
    doctor.journal.program = "no-journalctl"
    let findings = await doctor.diagnosis(within: patience).findings
    // The findings about the clock, sockets, disk space and sync depend on the real machine.
    let lines = findings.filter { ![.clock, .link, .store, .sync].contains($0.check) }.map(\.line)
    #expect(lines.first?.hasPrefix("fault bluetoothd: the system bus cannot be reached: ") == true)
    #expect(
      lines.dropFirst() == [
        "warning receiver: no GPS receiver is plugged in: samples will have no position -> plug "
          + "one in, or specify a source with --gps",
        "warning rtc: no real-time clock found: after each start the date is wrong until a network "
          + "or a receiver sets it -> add a real-time clock, or record outdoors with a receiver",
        "ok rfkill: nothing blocks the Bluetooth radio",
        "ok modem: ModemManager is not running",
        "ok gpsd: gpsd is not installed, and not needed",
        "ok disk: ext4 on /dev/vda",
        "ok destination: no destinations",
        "ok service: footbridge.service is not installed: recordings must be started manually",
        "ok udev: 60-footbridge-gps.rules is not installed, and no connected device needs it",
        "ok udev: 61-footbridge-bluetooth.rules is not installed, and no connected device needs it",
        "ok power: this computer does not report its supply voltage",
        "ok kernel: not checked: there is no journal: no-journalctl is not installed",
      ])
    #expect(try Folder.names(in: scratch.path).isEmpty)
  }

  @Test func `a bus that does not respond is reported as a finding`() async throws {
    let bus = try FakeBus(["org.bluez", "org.freedesktop.systemd1"]) { _, _, _ in nil }
    let doctor = Doctor(
      tree: try TestTree().tree, bus: bus.address, store: "/nowhere/walks.sqlite", isOffline: true)
    // Each bus request has its own timeout, after which its check reports a finding.
    let findings = await doctor.diagnosis(within: patience).findings.map(\.line)
    #expect(
      findings.contains(
        "fault bluetoothd: bluetoothd is running, but does not respond -> restart it with "
          + "'sudo systemctl restart bluetooth'"))
    #expect(
      findings.contains(
        "ok service: footbridge.service is not installed: recordings must be started manually"))
    #expect(findings.contains("ok destination: not tested, because of --offline"))
  }

  @Test func `every check has a row in the documentation's table`() throws {
    let text = try String(contentsOfFile: Repository.path("docs/operations.md"), encoding: .utf8)
    for check in Finding.Check.allCases {
      #expect(text.contains("| `\(check.rawValue)` |"), "a row is missing for \(check.rawValue)")
    }
  }
}
