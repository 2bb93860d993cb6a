import Foundation
import TestSupport
import Testing
import Values

@Suite(.realTime) struct GPSTests {
  @Test func `each state and each fix of a simulated receiver is printed as JSON`() async throws {
    let scratch = try Scratch()
    let world = try Program(
      Program.footbridge, ["simulate", "--json", "--gps"],
      environment: scratch.environment)
    let line = try #require(await world.line())
    let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let path = try #require(parsed?["gps"] as? String)
    let gps = try Program(
      Program.footbridge, ["gps", path, "--json"],
      environment: ["FOOTBRIDGE_STORE": scratch.path + "/store.sqlite"])
    #expect(await gps.line() { $0.contains(#""state":"searching""#) } != nil)
    #expect(await gps.line() { $0.contains(#""state":"3D fix""#) } != nil)
    let fix = try #require(await gps.line() { $0.hasPrefix(#"{"time":"#) })
    let members = try JSONSerialization.jsonObject(with: Data(fix.utf8)) as? [String: Any]
    #expect(abs((members?["lat"] as? Double ?? 0) - 53.168) < 0.01)
    #expect(members?["mode"] as? Int == 3)
    world.signal(SIGTERM)
    #expect(await gps.line() { $0.contains(#""state":"unplugged""#) } != nil)
    gps.signal(SIGINT)
    let outcome = await gps.wait()
    #expect(outcome.status == 130)
    _ = await world.wait()
  }

  @Test func `'gps' with a fixed position exits after the given duration`() async throws {
    let gps = try Program(
      Program.footbridge, ["gps", "fixed:53.168,9.94,62", "--seconds", "0.5"])
    let outcome = await gps.wait()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("state: fixed position"))
    #expect(outcome.output.contains("53.1680000°  9.9400000°  3D  ENTERED BY HAND  62.0 m"))
  }

  @Test func `the error for a missing file suggests a remedy`() async throws {
    let gps = try Program(Program.footbridge, ["gps", "file:/nothing/here", "--json"])
    let outcome = await gps.wait()
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        error: cannot open /nothing/here: No such file or directory
               name a file of NMEA sentences

        """)
  }

  @Test(arguments: [
    ("/dev/nothing-here", "cannot open /dev/nothing-here: No such file or directory"),
    ("/nothing/here", "cannot open /nothing/here: No such file or directory"),
    ("/dev/null", "cannot use /dev/null as a GPS receiver: it is not a serial port"),
    ("/etc/passwd", "cannot use /etc/passwd as a GPS receiver: it is not a serial port"),
    ("file:/etc", "cannot read /etc: it is not a file"),
    ("file:/etc/passwd", "/etc/passwd contains no valid sentences"),
  ])
  func `'gps' fails if its source is unusable`(
    source: String, message: String
  ) async throws {
    let outcome = try await Program.run(
      Program.footbridge, ["gps", source, "--seconds", "0.3"],
      environment: ["FOOTBRIDGE_STORE": try Scratch().path + "/store.sqlite"])
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ["--speed", "9600", "gpsd", "'--speed' does not apply to 'gpsd'"],
    ["--not-before", "2026-01-01", "/dev/gps0", "'--not-before' does not apply to '/dev/gps0'"],
  ])
  func `an option that does not apply to the source is rejected`(_ words: [String]) async throws {
    let outcome = try await Program.run(Program.footbridge, ["gps"] + words.dropLast())
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: \(words.last ?? "")\n"))
  }
}
