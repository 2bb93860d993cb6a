import Foundation
import TestSupport
import Testing

/// A simulated world as other programs see it.
@Suite(.realTime) struct SimulateTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Starts `simulate --json`, and returns the object that it prints.
  private func simulate(_ arguments: String...) async throws -> (Program, [String: Any]) {
    let program = try Program(
      Program.footbridge, ["simulate", "--json"] + arguments, environment: scratch.environment)
    let line = try #require(await program.line())
    let world = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return (program, try #require(world as? [String: Any]))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `'simulate' prints its addresses and stops on a signal`(signal: Int32) async throws {
    let (program, world) = try await simulate("--boards", "2", "--gps")
    let boards = try #require(world["boards"] as? [[String: String]])
    #expect(boards.count == 2)
    #expect(boards.allSatisfy { $0["model"] == "MetaMotion S" && $0["name"] == "MetaWear" })
    let gps = try #require(world["gps"] as? String)
    #expect(FileManager.default.fileExists(atPath: gps))
    program.signal(signal)
    let outcome = await program.wait()
    #expect(outcome.status == 128 + signal)
    scratch.expectNothingLeft()
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: Repository.python),
      "needs the Python environment that 'bash .ci/setup --tests' makes"),
    arguments: ["S", "RL"], ["signals", "descriptor"])
  func `bleak scans, connects, subscribes, and receives the stream that it has started`(
    model: String, mode: String
  ) async throws {
    let (program, world) = try await simulate("--model", model)
    let bus = try #require(world["dbus"] as? String)
    let client = try await Program.run(
      Repository.python, [Repository.path("bleak_client.py", beside: #filePath), mode],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus])
    #expect(client.status == 0, "\(client.output)\(client.errors)")
    program.signal(SIGTERM)
    let outcome = await program.wait()
    #expect(outcome.status == 143)
    #expect(!outcome.errors.contains("complaint"), "\(outcome.errors)")
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/bluetoothctl"),
      "SKIPPED: there is no bluetoothctl"))
  func `bluetoothctl finds the simulated board`() async throws {
    let (program, world) = try await simulate()
    let bus = try #require(world["dbus"] as? String)
    let board = try #require((world["boards"] as? [[String: String]])?.first?["address"])
    let outcome = try await Program.run(
      "/usr/bin/bluetoothctl", ["--timeout", "3", "scan", "le"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus])
    #expect(outcome.output.contains(board), "\(outcome.output)\(outcome.errors)")
    program.signal(SIGTERM)
    _ = await program.wait()
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-send"),
      "SKIPPED: there is no dbus-send"))
  func `a client's unsupported commands are reported at the end, and faults occur on schedule`()
    async throws
  {
    let (program, world) = try await simulate(
      "--adapters", "2", "--bluez", "5.84", "--daemon-fault", "off@0")
    let bus = try #require(world["dbus"] as? String)
    #expect((world["adapters"] as? [String])?.count == 2)
    let board = try #require((world["boards"] as? [[String: String]])?.first?["address"])
    let device = "/org/bluez/hci0/dev_" + board.replacingOccurrences(of: ":", with: "_")
    func send(_ path: String, _ method: String) async throws -> String {
      try await Program.run(
        "/usr/bin/dbus-send",
        ["--bus=\(bus)", "--print-reply", "--dest=org.bluez", path, "org.bluez.\(method)"]
      ).errors
    }
    let off = try await send("/org/bluez/hci0", "Adapter1.StartDiscovery")
    #expect(off.contains("org.bluez.Error.NotReady"), "\(off)")
    let lost = try await send(device + "/service0020/char0023", "GattCharacteristic1.StartNotify")
    #expect(lost.contains("UnknownObject"), "\(lost)")
    program.signal(SIGTERM)
    let outcome = await program.wait()
    #expect(outcome.errors.contains("complaint"), "\(outcome.errors)")
    #expect(outcome.errors.contains("StartNotify on \(device)"), "\(outcome.errors)")
  }

  @Test func `with --packets, 'simulate' prints its boards and exits`() async throws {
    let outcome = try await Program.run(
      Program.footbridge, ["simulate", "--packets"], environment: scratch.environment)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix(#"{"boards":[{"address":"C8:4B:AA:97:50:05","#))
    #expect(outcome.errors == "")
    scratch.expectNothingLeft()
  }

  @Test(arguments: [["--gps"], ["--adapters", "2"], ["--daemon-fault", "off@1"]])
  func `--packets cannot be combined with options for a bus or a receiver`(arguments: [String])
    async throws
  {
    let outcome = try await Program.run(
      Program.footbridge, ["simulate", "--packets"] + arguments, environment: scratch.environment)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        error: '--packets' cannot be used with '--gps', '--adapters' or '--daemon-fault'
               start a separate simulation for these options
               try 'footbridge simulate --help'

        """)
  }
}
