import Foundation
import TestSupport
import Testing
import Values

/// `stream` with a simulated system bus.
@Suite(.realTime) struct StreamTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld(boards: 2)
  }

  @Test func `samples are printed as one JSON object per line, and none is missing`() async throws {
    let outcome = try await world.run(
      "stream", world.addresses[0], "--seconds", "2", "--sensor", "acceleration@50,4")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let samples = try outcome.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(samples.count > 80)
    #expect(samples.allSatisfy { $0["board"] as? String == world.addresses[0] })
    #expect(samples.allSatisfy { $0["signal"] as? String == "acceleration" })
    #expect(samples.allSatisfy { $0["range"] as? Double == 4 })
    let numbers = samples.compactMap { $0["number"] as? Int }
    #expect(numbers == Array(numbers[0]..<numbers[0] + samples.count))
    for sample in samples {
      let values = try #require(sample["values"] as? [String: Double])
      #expect(Set(values.keys) == ["x", "y", "z"])
      #expect(values.values.allSatisfy { abs($0) <= 4 })
    }
    #expect(outcome.errors.contains("received=\(samples.count) lost=0 loss=counted"))
    await world.endWithoutComplaints()
  }

  @Test func `samples of two boards are printed as one CSV table, and nothing is stored`()
    async throws
  {
    let outcome = try await world.run(
      "stream", world.addresses[0], world.addresses[1], "--csv", "--seconds", "1")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let rows = outcome.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(
      rows[0] == [
        "time_utc", "seconds", "board", "signal", "x", "y", "z", "w", "number", "name", "unit",
        "range",
      ])
    #expect(rows.count > 300)
    try #require(rows.allSatisfy { $0.count == 12 })
    let scales = Set(rows.dropFirst().map { $0[10...].joined(separator: " ") })
    #expect(scales == ["g 8", "deg/s 2000"])
    #expect(
      Set(rows.dropFirst().map { "\($0[2]) \($0[3])" }).count == 4,
      "two boards with two signals each")
    #expect(!FileManager.default.fileExists(atPath: world.store))
    await world.endWithoutComplaints()
  }

  @Test func `an interrupt ends the command cleanly and leaves the boards in a clean state`()
    async throws
  {
    let program = try world.start("stream", world.addresses[0])
    let line = await program.line()
    #expect(line?.hasPrefix("{\"time\":") == true)
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 130)
    #expect(outcome.errors.contains("event=streamed"))
    await world.endWithoutComplaints()
  }

  @Test func `if the reader closes the pipe, the command ends silently`() async throws {
    let outcome = try await Program.run(
      "/bin/sh",
      ["-c", "'\(Program.footbridge)' stream --quiet \(world.addresses[0]) --csv | head -n 3"],
      environment: world.environment)
    #expect(outcome.status == 0)
    #expect(outcome.output.split(separator: "\n").count == 3)
    #expect(outcome.errors == "")
    await world.endWithoutComplaints()
  }
}
