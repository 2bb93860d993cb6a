import Foundation
import TestSupport
import Testing

/// Faults of Bluetooth and of boards. Each produces one clear line with a remedy and the documented
/// exit status, and none makes the program hang.
@Suite(.realTime) struct BluetoothFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var world: [String]
    var status: Int32
    var message: String
    var remedy: String

    init(_ world: String..., status: Int32, message: String, remedy: String) {
      self.world = world
      self.status = status
      self.message = message
      self.remedy = remedy
    }

    var testDescription: String { world.joined(separator: " ") }
  }

  private func expect(
    _ given: Case, of arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let world = try await BoardsWorld(boards: 1, given.world)
    let words = arguments.map { $0 == "BOARD" ? world.addresses[0] : $0 }
    let outcome = try await world.run(words)
    #expect(outcome.status == given.status, "\(outcome.errors)", sourceLocation: sourceLocation)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    let index = lines.firstIndex { $0.hasPrefix("error: ") && $0.contains(given.message) }
    #expect(index != nil, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(
      lines[((index ?? -1) + 1)...].contains {
        $0.hasPrefix("       ") && $0.contains(given.remedy)
      }, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.output == "", sourceLocation: sourceLocation)
  }

  static let unavailable = [
    Case(
      "--daemon-fault", "unplug@0", status: 3, message: "there is no Bluetooth adapter",
      remedy: "plug one in"),
    Case(
      "--daemon-fault", "block@0", status: 3, message: "the Bluetooth radio is blocked",
      remedy: "rfkill unblock bluetooth"),
    Case(
      "--daemon-fault", "gone@0:1000", status: 3, message: "bluetoothd is not running",
      remedy: "systemctl start bluetooth"),
    Case(
      "--daemon-fault", "denied@0:StartDiscovery", status: 3, message: "no permission to use",
      remedy: "group 'bluetooth'"),
  ]

  @Test(arguments: unavailable, ["scan", "pair", "stream"])
  func `without Bluetooth, 'scan', 'pair' and 'stream' report the reason and the remedy`(
    _ given: Case, command: String
  ) async throws {
    try await expect(given, of: command == "scan" ? ["scan", "--json"] : [command, "BOARD"])
  }

  static let boards = [
    Case(
      "--daemon-fault", "held@0", status: 4, message: "did not find",
      remedy: "check that no phone is using it"),
    Case(
      "--daemon-fault", "bootloader@0", status: 1, message: "is in its bootloader",
      remedy: "briefly remove its battery"),
    Case(
      "--daemon-fault", "foreign-notify@0", status: 1,
      message: "another program on this computer uses", remedy: "stop the other program"),
    Case(
      "--daemon-fault", "denied@0:Connect", status: 3, message: "no permission to use",
      remedy: "group 'bluetooth'"),
    Case(
      "--daemon-fault", "abort@0:1000", status: 1, message: "cannot connect to",
      remedy: "move the board closer"),
  ]

  @Test(arguments: boards, ["pair", "stream"])
  func `the program gives up on an unusable board and reports the reason`(
    _ given: Case, command: String
  ) async throws {
    try await expect(given, of: [command, "BOARD"])
  }

  @Test(arguments: ["pair", "stream"])
  func `a device that is not a board is reported as such if the user names it`(
    command: String
  ) async throws {
    try await expect(
      Case(
        "--strangers", "1", status: 1, message: "D0:11:22:33:44:00 is not a MetaWear board",
        remedy: "footbridge scan"),
      of: [command, "D0:11:22:33:44:00"])
  }

  @Test func `the program gives up on a board that does not respond`() async throws {
    try await expect(
      Case(
        "--fault", "mute@0", status: 1, message: "the board does not respond",
        remedy: "press its button"),
      of: ["pair", "BOARD"])
    try await expect(
      Case("--fault", "hang@0", status: 1, message: "did not restart", remedy: "hold its button"),
      of: ["reset", "BOARD"])
  }

  @Test func `only the command 'pair' bonds with a board that requires bonding`() async throws {
    let world = try await BoardsWorld(boards: 1, ["--daemon-fault", "bond@0"])
    let blinked = try await world.run(["identify", world.addresses[0]])
    #expect(blinked.status == 1)
    #expect(blinked.errors.contains("footbridge pair"), "\(blinked.errors)")
    let paired = try await world.run(["pair", world.addresses[0], "--name", "left", "--json"])
    #expect(paired.status == 0, "\(paired.errors)")
    #expect(paired.output.contains(#""bonded":true"#))
    let again = try await world.run(["identify", "left"])
    #expect(again.status == 0, "\(again.errors)")
  }

  @Test func `'pair --bond' bonds with a board that does not require bonding`() async throws {
    let world = try await BoardsWorld(boards: 1)
    let paired = try await world.run(["pair", world.addresses[0], "--bond"])
    #expect(paired.status == 0, "\(paired.errors)")
    #expect(paired.output.contains("bonded    yes"))
  }

  @Test(arguments: [
    ["--bluez", "5.66"], ["--bluez", "5.66", "--daemon-fault", "no-reply@0:acquire-notify"],
  ])
  func `an old daemon is supported, even if it lacks AcquireNotify`(
    _ options: [String]
  ) async throws {
    let world = try await BoardsWorld(boards: 1, options)
    let outcome = try await world.run(
      ["stream", world.addresses[0], "--seconds", "1"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.split(separator: "\n").count > 100)
  }

  @Test(arguments: ["scan", "pair", "identify", "reset", "forget", "stream"])
  func `without a bus, a command that needs Bluetooth exits with status 3`(
    command: String
  ) async throws {
    let scratch = try Scratch()
    let words = command == "scan" ? ["scan"] : [command, "C8:4B:AA:97:50:05"]
    let outcome = try await Program.run(
      Program.footbridge, words,
      environment: scratch.environment.merging([
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus",
        "FOOTBRIDGE_STORE": scratch.path + "/store.sqlite",
      ]) { $1 })
    #expect(outcome.status == 3, "\(outcome.errors)")
    #expect(outcome.errors.contains("error: cannot connect to the system bus"))
    #expect(outcome.errors.contains("\n       start D-Bus"))
  }

  @Test(arguments: ["pair", "identify", "reset", "forget", "stream"])
  func `an invalid address is rejected before anything starts`(command: String) async throws {
    let scratch = try Scratch()
    let outcome = try await Program.run(
      Program.footbridge, [command, "C8:4B:AA:97:50:0G"],
      environment: scratch.environment.merging([
        "FOOTBRIDGE_STORE": scratch.path + "/store.sqlite"
      ]) { $1 })
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        error: 'C8:4B:AA:97:50:0G' is not a board address
               an address has six pairs of hexadecimal digits, as in C8:4B:AA:97:50:05

        """)
  }
}
