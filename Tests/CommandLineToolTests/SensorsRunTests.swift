@testable import CommandLineTool
@testable import Terminal
import Foundation
import TestSupport
import Testing
import Values

@Suite(.computation) struct SensorsRunTests {
  @Test func `a model's signals are listed with their rates and ranges`() async {
    let lines = await Outcome.of("sensors", "--board", "R", commands: Commands.all).output
      .split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: " ", maxSplits: 2).prefix(2).joined(separator: " ") } == [
        "signal unit", "acceleration g", "temperature_processor °C", "temperature_external °C",
      ])
    #expect(lines[1].hasSuffix("MMA8452Q             1.56 6.25 12.5 50 100 200 400 800  2 4 8"))
  }

  @Test(arguments: ["record", "stream"])
  func `a rate that no model supports is rejected before any board is contacted`(_ command: String)
    async
  {
    let outcome = await Outcome.of(
      command, "C8:4B:AA:97:50:05", "--sensor", "acceleration@60", commands: Commands.all)
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("acceleration"), "\(outcome.errors)")
  }

  @Test func `the JSON list includes axes and layouts`() async throws {
    let text = await Outcome.of("sensors", "--json", commands: Commands.all).output
    let list = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    let signals = list.compactMap { $0["signal"] as? String }
    #expect(signals.prefix(3) == ["acceleration", "angular_velocity", "magnetic_field"])
    let quaternion = try #require(list.first { $0["signal"] as? String == "quaternion" })
    #expect(quaternion["axes"] as? [String] == ["x", "y", "z", "w"])
    #expect(quaternion["layouts"] as? [String] == ["single", "counted"])
    #expect(quaternion["rates"] as? [Double] == [25, 50, 100])
    let temperature = try #require(list.first { $0["signal"] as? String == "temperature" })
    #expect(temperature["streams"] as? Bool == false)
  }
}
