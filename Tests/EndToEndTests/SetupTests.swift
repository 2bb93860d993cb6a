import Foundation
import LinuxSystem
import Storage
import TestSupport
import Testing
import Values

/// `footbridge setup` with simulated boards: on a terminal, in a script, and interrupted.
@Suite(.realTime) struct SetupTests {
  private let world: BoardsWorld
  private var configuration: String { world.scratch.path + "/conf/footbridge.conf" }
  private var outFolder: String { world.scratch.path + "/out" }

  init() async throws {
    world = try await BoardsWorld(boards: 2)
    try Folder.make(outFolder)
  }

  private var words: [String] { ["setup", "--config", configuration, "--path", world.store] }

  @Test func `a dialogue on a terminal writes a valid configuration`() async throws {
    let terminal = try PseudoTerminal()
    let program = try world.start(words, onTerminal: terminal.path, readsTerminal: true)
    let answers = [
      "1 2", "yes", "left", "left ankle", "yes", "", "",  // boards
      "acceleration@50:8", "yes", "fixed:53.1680,9.9400",  // sensors and receiver
      "new", outFolder, "stick",  // destination
      "command", "yes",
    ]
    _ = terminal.controller.write(Array((answers.joined(separator: "\n") + "\n").utf8))
    let shown = try await terminal.text(upTo: "conf is written: ")
    let outcome = await program.wait()
    #expect(outcome.status == 0, "\(shown)")
    #expect(shown.contains("a full battery lasts"), "\(shown)")
    #expect(shown.contains("'stick' accepts uploads."), "\(shown)")
    let check = try await world.run("config", "check", "--config", configuration)
    #expect(
      check.output
        == "\(configuration) is valid: 2 boards, 1 sensor, positions from fixed:53.168,9.94, "
        + "records on command, uploads to stick.\n")
    let text = try #require(WholeFile.text(configuration))
    #expect(text.contains("[board left]\naddress = \(world.addresses[0])\nplacement = left ankle"))
    #expect(text.contains("[board right]\naddress = \(world.addresses[1])\n"))
    #expect(try StoreReader(path: world.store).destinations().map(\.name) == ["stick"])
    await world.endWithoutComplaints()
  }

  @Test func `Ctrl-C at a question ends the setup before anything is written`() async throws {
    let terminal = try PseudoTerminal()
    let program = try world.start(words, onTerminal: terminal.path, readsTerminal: true)
    let shown = try await terminal.text(upTo: "should be recorded?")
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 130, "\(shown)")
    #expect(!FileManager.default.fileExists(atPath: configuration))
    #expect(!FileManager.default.fileExists(atPath: world.store))
    await world.endWithoutComplaints()
  }

  @Test func `without a terminal, setup reports the missing options instead of waiting for input`()
    async throws
  {
    let silent = try await world.run(words)
    #expect(silent.status == 2)
    #expect(
      silent.errors == """
        error: cannot ask questions without a terminal
               add --yes and --board NAME=ADDRESS
               try 'footbridge setup --help'

        """)
    let board = "left=\(world.addresses[0])"
    let given = try await world.run(words + ["--yes", "--board", board, "--when", "command"])
    #expect(given.status == 0, "\(given.errors)")
    #expect(given.output.hasPrefix("\(configuration) is written: 1 board, "), "\(given.output)")
    let again = try await world.run(words + ["--yes"])
    #expect(again.output.hasPrefix("\(configuration) is unchanged: "), "\(again.output)")
    let other = try await world.run(words + ["--yes", "--placement", "left=heel"])
    #expect(other.status == 0, "\(other.errors)")
    #expect(other.output.contains("Changes: added board left.placement."), "\(other.output)")
    let moved = try await world.run(words + ["--yes", "--board", "heel=\(world.addresses[1])"])
    #expect(
      moved.output.hasSuffix(
        "Changes: added board heel.address, removed board left.address, removed board "
          + "left.placement.\n[board left] with \(world.addresses[0]) is removed.\n"),
      "\(moved.output)")
    let blocked = try await world.run(words + ["--yes", "--gps", "/etc/passwd"])
    #expect(
      blocked.errors.hasPrefix("error: cannot use /etc/passwd as a GPS receiver"),
      "\(blocked.errors)")
    let bytes = try await Program.run(
      "/bin/sh",
      [
        "-c", #"exec "$0" config set --config "$1" note "$(printf '\377\376')""#,
        Program.footbridge, configuration,
      ])
    #expect(bytes.status == 2)
    #expect(
      bytes.errors.hasPrefix("error: argument 6 is not valid UTF-8\n"), "\(bytes.errors)")
    let wrong = try await world.run(words + ["--yes", "--http", "https://h.example.org"])
    #expect(wrong.errors.hasPrefix("error: required options are missing\n"), "\(wrong.errors)")
    await world.endWithoutComplaints()
  }

  @Test func `a configuration with faults is left unchanged`() async throws {
    try Folder.make(forFile: configuration)
    try Data("[recording]\nseal = 0\n".utf8).write(to: URL(filePath: configuration))
    let outcome = try await world.run(words + ["--yes", "--board", "a=\(world.addresses[0])"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'seal' cannot be '0'"), "\(outcome.errors)")
    #expect(WholeFile.text(configuration) == "[recording]\nseal = 0\n")
    await world.endWithoutComplaints()
  }
}
