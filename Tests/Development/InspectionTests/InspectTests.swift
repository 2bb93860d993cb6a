import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

extension Program {
  /// The `inspect` executable built together with the tests.
  static let inspect = built("inspect")
}

/// `inspect`, run as a user would run it.
@Suite(.realTime) struct InspectTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(prefix: "footbridge-test")
  }

  private func file(_ text: String) throws -> String {
    let path = folder.path + "/capture.txt"
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private func inspect(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.inspect, ["metawear"] + arguments)
  }

  @Test
  func `if a capture is fully understood, the command prints a summary and exits with status 0`()
    async throws
  {
    let path = try file("> 03 03 a8 02\n< 03 04 0010 0000 00f0\n")
    let outcome = try await inspect("--board", "S", path)
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
            1 >  03 03 a8 02
                accelerometer, configuration (write): sets 100 Hz, ±8 g
                  rate 100.00 Hz  range 8 g  counts_per_unit 4096.0
            2 <  03 04 00 10 00 00 00 f0
                accelerometer, samples (notification): one sample
                  x 1.0000 g (4096)  y 0.0000 g (0)  z -1.0000 g (-4096)
                ! its subscription is not in this capture; subscriptions outlive a
                  connection

        """)
    #expect(
      outcome.errors
        == "level=notice event=inspected packets=2 not_understood=0 unreadable=0 passed_over=0\n")
  }

  @Test func `lines that cannot be decoded are reported, and the command exits with status 5`()
    async throws
  {
    let path = try file("> 0b84\nzz\n> 99 01\n")
    let outcome = try await inspect(path)
    #expect(outcome.status == 5)
    #expect(
      outcome.errors == """
        level=warning event=unreadable at="line 2" reason="'zz' is not a hexadecimal number"
        level=notice event=inspected packets=2 not_understood=1 unreadable=1 passed_over=0

        """)
  }

  @Test func `JSON output contains one object for each packet, on its own line`() async throws {
    let outcome = try await inspect("--json", try file("> 0b84\n< 0b84 00000100 02\n> 99 01\n"))
    let objects = try outcome.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    try #require(objects.map { $0["line"] as? Int } == [1, 2, 3])
    try #require(objects.map { $0["understood"] as? Bool } == [true, true, false])
    try #require(objects.map { $0["kind"] as? String } == ["read", "reply", "write"])
    let values = try #require(objects[1]["values"] as? [[String: Any]])
    #expect(values.first?["value"] as? Double == 96)
    #expect(values.first?["raw"] as? Int == 65536)
  }

  @Test func `the error for a missing file names the file`() async throws {
    let outcome = try await inspect("/proc/no-such-capture")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        error: cannot read /proc/no-such-capture: No such file or directory
               specify a file with a capture, or leave FILE out to read standard input

        """)
  }

  @Test func `lines are explained as they arrive, until the command is interrupted`() async throws {
    let path = folder.path + "/pipe"
    let made = unsafe mkfifo(path, 0o600)
    try #require(made == 0)
    let program = try Program(Program.inspect, ["metawear", "--json", path])
    // The pipe is opened for both reading and writing, so that neither end blocks.
    let writer = try #require(FileHandle(forUpdatingAtPath: path))
    try writer.write(contentsOf: Data("> 0b84\n> 0b".utf8))
    let first = await program.line()
    #expect(first?.contains("\"bytes\":\"0b84\"") == true)
    try writer.write(contentsOf: Data("85\n".utf8))
    let second = await program.line() { $0.contains("\"bytes\":\"0b85\"") }
    #expect(second != nil)
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 130)
    #expect(outcome.errors.contains("event=inspected packets=2"))
    try writer.close()
  }

  @Test func `a closed pipe ends the command quietly`() async throws {
    let path = try file(String(repeating: "> 0b84\n", count: 20_000))
    let outcome = try await Program.run(
      "/bin/sh", ["-c", "'\(Program.inspect)' metawear '\(path)' | head -n 2"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("    1 >  0b 84\n"))
    #expect(outcome.errors.isEmpty)
  }

  @Test func `standard input is read if no file is named`() async throws {
    let outcome = try await Program.run(
      "/bin/sh", ["-c", "echo '> 0b84' | '\(Program.inspect)' metawear -q"])
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("asks for the board's clock"))
  }

  @Test(arguments: [
    ([], "'metawear|nmea' is missing\n       choose metawear or nmea"),
    (["night.log"], "unknown choice 'night.log'\n       choose metawear or nmea"),
    (
      ["nmea", "--not-before", "Monday"],
      "'--not-before' cannot be 'Monday'\n       DATE is a date, as in 2026-05-04"
    ),
    (["metawear", "--board", "Z"], "'--board' cannot be 'Z'\n       choose one of S, RL, MMR,"),
  ])
  func `the error for an invalid call states the mistake and refers to the help`(
    _ words: [String], _ mistake: String
  )
    async throws
  {
    let outcome = try await Program.run(Program.inspect, words)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("error: " + mistake))
    #expect(outcome.errors.hasSuffix("\n       try 'inspect --help'\n"))
  }

  @Test func `the help uses the program's own name`() async throws {
    let outcome = try await Program.run(Program.inspect, ["--help"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("usage: inspect [--board MODEL] [--not-before DATE] [--json]"))
    #expect(outcome.output.contains("\n  -q, --quiet            report only warnings and errors\n"))
    #expect(!outcome.output.contains("footbridge") && !outcome.output.contains("every command"))
    let example = "echo '> 03 03 a8 02' | inspect metawear --board S"
    #expect(outcome.output.contains("\nExample: \(example)\n"))
  }
}
