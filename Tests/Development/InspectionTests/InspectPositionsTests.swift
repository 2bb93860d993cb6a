import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// `inspect nmea` with a receiver's log, run as a user would run it.
@Suite(.realTime) struct InspectPositionsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(prefix: "footbridge-test")
  }

  /// Returns a sentence with its checksum appended.
  private func line(_ body: String) -> String {
    let sum = body.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n"
  }

  /// Returns the sentences for one second of a walk. Status `V` means that there is no fix.
  private func second(_ second: Int, status: String = "A") -> String {
    let time = "0930" + (second < 10 ? "0\(second)" : "\(second)")
    let quality = status == "A" ? 1 : 0
    return line("GNRMC,\(time),\(status),5310.25,N,00956.5,W,2.0,84.2,040526,,,A")
      + line("GNGGA,\(time),5310.25,N,00956.5,W,\(quality),10,0.9,121.4,M,41.2,M,,")
  }

  private func file(_ text: String) throws -> String {
    let path = folder.path + "/log.nmea"
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private func inspect(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.inspect, ["nmea"] + arguments)
  }

  @Test func `JSON output contains one object for each fix, and none for an epoch without a fix`()
    async throws
  {
    let path = try file(
      "# a comment\r\n" + second(1) + second(2, status: "V") + "noise\r\n$GPGGA,1*00\r\n"
        + second(3))
    let outcome = try await inspect("--json", path)
    #expect(outcome.status == 0)
    let speed = "1.028888888888889"
    #expect(
      outcome.output
        == [1, 3].map { second in
          "{\"time\":\"2026-05-04T09:30:0\(second).000Z\",\"lat\":53.170833333333334,"
            + "\"lon\":-9.941666666666666,\"altMSL\":121.4,\"geoidSep\":41.2,\"speed\":\(speed),"
            + "\"track\":84.2,\"mode\":3,\"quality\":1,\"satsUsed\":10,\"hdop\":0.9}\n"
        }.joined())
    #expect(
      outcome.errors == """
        level=notice event=inspected fixes=2 without_fix=1 accepted=6 ignored=0 refused=2 \
        missing_start=1 wrong_checksum=1 stray_bytes=16

        """)
  }

  @Test func `the command exits with status 5 if the input contains no sentence`() async throws {
    let outcome = try await inspect(try file("noise\r\nand more of it\r\n"))
    #expect(outcome.status == 5)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("fixes=0 without_fix=0 accepted=0"))
    #expect(try await inspect(try file("")).status == 5)
  }

  @Test func `text output shows each fix on one line`() async throws {
    let outcome = try await inspect(try file(second(1)))
    #expect(
      outcome.output == """
        2026-05-04T09:30:01.000Z  53.1708333°  -9.9416667°  3D  121.4 m  1.03 m/s  84.2°  \
        10 sat  hdop 0.9  ±13.5 m

        """)
  }

  @Test func `a log without a fix is not a failure`() async throws {
    let outcome = try await inspect("--json", try file(second(1, status: "V")))
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("fixes=0 without_fix=1"))
  }

  @Test func `a week rollover is corrected only if the earliest possible date is given`()
    async throws
  {
    let path = try file(
      second(1).replacing("040526", with: "180906").split(separator: "\r\n").map {
        line(String($0.dropFirst().prefix { $0 != "*" }))
      }.joined())
    #expect(try await inspect("--json", path).output.contains("\"2006-09-18T09:30:01.000Z\""))
    let outcome = try await inspect("--json", "--not-before", "2020-01-01", path)
    #expect(outcome.output.contains("\"2026-05-04T09:30:01.000Z\""))
    #expect(outcome.errors.contains("eras_added=1"))
  }

  @Test func `options that apply only to boards are rejected if the input comes from a receiver`()
    async throws
  {
    let outcome = try await inspect("--board", "S")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        error: '--board' does not apply to 'nmea'
               leave it out
               try 'inspect --help'

        """)
  }

  @Test func `fixes are printed as they arrive, until the command is interrupted`() async throws {
    let path = folder.path + "/pipe"
    let made = unsafe mkfifo(path, 0o600)
    try #require(made == 0)
    let program = try Program(Program.inspect, ["nmea", "--json", path])
    // The pipe is opened for both reading and writing, so that neither end blocks.
    let writer = try #require(FileHandle(forUpdatingAtPath: path))
    try writer.write(contentsOf: Data((second(1) + second(2)).utf8))
    let first = await program.line()
    #expect(first?.contains("09:30:01.000Z") == true)
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 130)
    // The summary includes the epoch that was still incomplete when the interrupt arrived.
    #expect(outcome.errors.contains("fixes=2"))
    try writer.close()
  }

  @Test func `a closed pipe ends the command quietly`() async throws {
    let log = (0..<200).map { _ in (0..<60).map { second($0) }.joined() }.joined()
    let outcome = try await Program.run(
      "/bin/sh",
      ["-c", "'\(Program.inspect)' nmea --json '\(try file(log))' | head -n 1"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("{\"time\":\"2026-05-04T09:30:00.000Z\""))
    #expect(outcome.errors.isEmpty)
  }

  @Test func `standard input is read if no file is named`() async throws {
    let path = try file(second(1))
    let outcome = try await Program.run(
      "/bin/sh", ["-c", "'\(Program.inspect)' nmea -q < '\(path)'"])
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.hasPrefix("2026-05-04T09:30:01.000Z"))
  }
}
