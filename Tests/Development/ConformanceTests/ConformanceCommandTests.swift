import Conformance
import Foundation
import TestSupport
import Testing
import Values

@Suite(.computation) struct ConformanceCommandTests {
  func run(_ vectors: String, module: String = "led") throws -> Verdict {
    let file = """
      {"schema": "metawear-vectors/1", "module": "\(module)", "vectors": [\(vectors)]}
      """
    return try Format.metawear.run(Data(file.utf8), named: "here")
  }

  @Test func `a vector passes, fails with the actual value, or is skipped with a reason`() throws {
    let verdict = try run(
      """
      {"id": "a", "kind": "command", "op": "led.control", "args": {"action": "play"},
       "bytes": "020101"},
      {"id": "b", "kind": "command", "op": "led.control", "args": {"action": "play"},
       "bytes": "020102"},
      {"id": "c", "kind": "command", "op": "led.glow", "args": {}, "bytes": "0201"}
      """)
    #expect(
      verdict.lines == [
        "FAILED b: expected [\"020102\"], got [\"020101\"]",
        "skipped c: unknown operation led.glow",
        "1 passed, 1 failed, 1 skipped",
      ])
  }

  @Test func `a deviation larger than the tolerance fails the vector`() throws {
    let vector = """
      {"id": "t", "kind": "decode", "signal": "temperature", "context": {},
       "notification": "048101ac00", "fields": ["channel", "value"], "expect": [[1, EXPECTED]],
       "tolerance": 0.25}
      """
    for (expected, passes) in [("21.5", true), ("21.75", true), ("21.8", false)] {
      let verdict = try run(vector.replacing("EXPECTED", with: expected), module: "temperature")
      #expect(verdict.failures.isEmpty == passes)
    }
  }

  @Test func `an exchange that contains an unreadable packet fails`() throws {
    let verdict = try run(
      """
      {"id": "x", "kind": "exchange", "context": {}, "steps": [{"tx": "0b85"}, {"rx": "0b3f00"}]},
      {"id": "y", "kind": "exchange", "context": {}, "steps": [{"tx": "0b85"}, {"rx": "0b0d"}]}
      """)
    #expect(verdict.failures == ["x: 0b3f00 is not recognised"])
    #expect(verdict.passed == 1)
  }

  @Test func `the command prints its usage and exits with status 2 for an invalid call`() {
    for arguments in [[], ["metawear"], ["morse", "x"]] {
      let outcome = ConformanceCommand.run(arguments)
      #expect(outcome.status == 2)
      #expect(outcome.complaint == [ConformanceCommand.usage])
      #expect(outcome.output.isEmpty)
    }
  }

  @Test
  func `the command exits with status 2 for a missing file, invalid JSON or an unknown schema`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.json")
    #expect(ConformanceCommand.run(["metawear", file.path]).status == 2)
    try Data("{".utf8).write(to: file)
    #expect(ConformanceCommand.run(["metawear", file.path]).status == 2)
    try Data("{\"schema\": \"other\"}".utf8).write(to: file)
    #expect(ConformanceCommand.run(["metawear", file.path]).status == 2)
    try Data("{\"schema\": \"metawear-vectors/1\", \"vectors\": []}".utf8).write(to: file)
    let outcome = ConformanceCommand.run(["metawear", folder.path])
    #expect(outcome.status == 1)
    #expect(outcome.output == ["0 passed, 0 failed, 0 skipped"])
  }
}
