@testable import CommandLineTool
@testable import Terminal
import DBus
import Foundation
import TestSupport
import Testing
import Upload

/// Findings about the systemd unit, the udev rules and the destinations.
@Suite(.computation) struct InstallationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var unit: ServiceUnit
    var line: String
    var testDescription: String { line }
  }

  private static func unit(
    isInstalled: Bool = true, isLinked: Bool = false, start: String?, _ activity: String? = nil
  ) -> ServiceUnit {
    ServiceUnit(
      isInstalled: isInstalled, isLinked: isLinked,
      unit: SystemdUnits.Unit(start: start, activity: activity))
  }

  @Test(arguments: [
    Case(
      unit: ServiceUnit(isInstalled: false, isLinked: false),
      line: "ok service: footbridge.service is not installed: recordings must be started manually"),
    Case(
      unit: ServiceUnit(isInstalled: true, isLinked: true),
      line:
        "ok service: footbridge.service is installed and enabled; systemd does not respond"),
    Case(
      unit: ServiceUnit(isInstalled: true, isLinked: false),
      line: "ok service: footbridge.service is installed; systemd does not respond"),
    Case(
      unit: unit(isInstalled: false, start: nil),
      line: "ok service: footbridge.service is not installed: recordings must be started manually"),
    Case(
      unit: unit(start: nil),
      line:
        "warning service: footbridge.service is installed, but systemd has not loaded it -> run "
        + "'sudo systemctl daemon-reload'"),
    Case(
      unit: unit(start: "enabled", "active"),
      line: "ok service: footbridge.service starts at boot, and is running"),
    Case(
      unit: unit(start: "enabled", "failed"),
      line:
        "fault service: footbridge.service has failed -> see 'journalctl -u footbridge' for the "
        + "reason"),
    Case(
      unit: unit(start: "enabled", "activating"),
      line: "warning service: footbridge.service is starting, perhaps repeatedly -> see "
        + "'journalctl -u footbridge' for the reason"),
    Case(
      unit: unit(start: "enabled", "inactive"),
      line:
        "warning service: footbridge.service starts at boot, but is not running now -> start it "
        + "with 'sudo systemctl start footbridge'"),
    Case(
      unit: unit(start: "disabled", "active"),
      line: "warning service: footbridge.service is running, but does not start at boot (disabled) "
        + "-> enable it with 'sudo systemctl enable --now footbridge'"),
    Case(
      unit: unit(start: "masked"),
      line:
        "warning service: footbridge.service is installed, but does not start at boot (masked) -> "
        + "enable it with 'sudo systemctl enable --now footbridge'"),
  ])
  func `each state of the systemd unit produces one finding`(_ test: Case) {
    #expect(test.unit.finding.line == test.line)
  }

  @Test(.realTime)
  func `unit states are queried from systemd, and an unknown unit has no state`()
    async throws
  {
    let bus = try FakeBus(["org.freedesktop.systemd1"]) { member, path, arguments in
      switch (member, arguments.first?.text) {
      case ("GetUnitFileState", "a.service"): .values([.string("enabled")])
      case ("GetUnit", "a.service"): .values([.objectPath("/unit/a")])
      case ("Get", "org.freedesktop.systemd1.Unit") where path == "/unit/a":
        .values([.variant(.string("active"))])
      case ("GetUnitFileState", "b.socket"): .values([.string("disabled")])
      case ("GetUnit", _):
        .refusal(name: "org.freedesktop.systemd1.NoSuchUnit", message: "not loaded")
      default: .refusal(name: "org.freedesktop.DBus.Error.FileNotFound", message: "no such file")
      }
    }
    let units = await SystemdUnits(["a.service", "b.socket", "c.service"], on: bus.address)
    #expect(
      units?.units == [
        "a.service": .init(start: "enabled", activity: "active"),
        "b.socket": .init(start: "disabled", activity: nil), "c.service": .init(),
      ])
    #expect(units?.startsAtBoot("a.service") == true && units?.startsAtBoot("b.socket") == false)
    let empty = try FakeBus([]) { _, _, _ in nil }
    #expect(await SystemdUnits(["a.service"], on: empty.address) == nil)
    #expect(await SystemdUnits(["a.service"], on: .at("unix:path=/nowhere/bus")) == nil)
  }

  @Test
  func `the unit file is found on systemd's search path, together with the link that enables it`()
    throws
  {
    let files = try TestTree(["/etc/systemd/system/footbridge.service": "[Unit]"])
    #expect(ServiceUnit(files.tree, nil) == ServiceUnit(isInstalled: true, isLinked: false))
    try files.link(
      "/etc/systemd/system/multi-user.target.wants/footbridge.service",
      to: "/etc/systemd/system/footbridge.service")
    #expect(ServiceUnit(files.tree, nil) == ServiceUnit(isInstalled: true, isLinked: true))
    #expect(
      ServiceUnit(try TestTree().tree, nil) == ServiceUnit(isInstalled: false, isLinked: false))
  }

  private func rules(_ name: String) throws -> String {
    try String(contentsOfFile: Repository.path("udev/\(name)"), encoding: .utf8)
  }

  @Test(arguments: ["60-footbridge-gps.rules", "61-footbridge-bluetooth.rules"])
  func `the udev rules built into the program match the rules in the udev folder`(name: String)
    throws
  {
    #expect(try UdevRules.rules(in: rules(name)) == UdevRules.rules[name])
  }

  @Test func `udev rules are required only if a device needs them, and may have additions`() throws
  {
    let files = try TestTree()
    func lines() -> [String] { UdevRules.all(files.tree).map(\.finding.line) }
    #expect(
      lines() == [
        "ok udev: 60-footbridge-gps.rules is not installed, and no connected device needs it",
        "ok udev: 61-footbridge-bluetooth.rules is not installed, and no connected device needs it",
      ])
    try files.file("/dev/ttyUSB0", "")
    let copy =
      "to /etc/udev/rules.d, run 'sudo udevadm control --reload' and reconnect the device"
    #expect(
      lines().first
        == "warning udev: 60-footbridge-gps.rules is not installed; this file names receivers, "
        + "assigns them to the group 'dialout', and makes ModemManager ignore them -> copy "
        + "udev/60-footbridge-gps.rules "
        + copy)
    let path = "/etc/udev/rules.d/60-footbridge-gps.rules"
    let own = "\n# mine\nATTRS{serial}==\"A5\",  \\\n  SYMLINK+=\"gps0\"\n"
    try files.file(path, rules("60-footbridge-gps.rules") + own)
    #expect(lines().first == "ok udev: \(path) contains all rules of this release")
    try files.file(
      path,
      rules("60-footbridge-gps.rules").replacingOccurrences(
        of: "ATTRS{idProduct}==\"ea60|ea70\"", with: "ATTRS{idProduct}==\"ea60\""))
    #expect(
      lines().first
        == "warning udev: \(path) is missing 1 rule of this release -> copy "
        + "udev/60-footbridge-gps.rules " + copy)
  }

  @Test(arguments: [
    (nil, "ok destination: 'home' accepts uploads: https://walks.example.org"),
    (
      Setback(.unavailable, "no response", remedy: "wait"),
      "warning destination: cannot upload to 'home': no response -> wait"
    ),
    (
      Setback(.rejected, "it does not know the token", remedy: "correct the file"),
      "fault destination: cannot upload to 'home': it does not know the token -> correct the file"
    ),
    (
      Setback(.wrongClock, "not valid yet", remedy: "set the clock"),
      "fault destination: cannot upload to 'home': not valid yet -> set the clock"
    ),
  ])
  func `an unreachable destination causes a warning; one that refuses access is a fault`(
    obstacle: Setback?, line: String
  ) {
    let test = DestinationTest(
      name: "home", place: "https://walks.example.org", obstacle: obstacle)
    #expect(test.finding.line == line)
  }
}
