import Foundation
import Recording
import Storage
import TestSupport
import Testing

/// Commands that are interrupted at arbitrary times. Each command must end cleanly.
@Suite(.realTime) struct InterruptTests {
  /// Seconds within which the command must end. The documentation promises five, but a busy machine
  /// may need more.
  private static let limit = 15.0
  /// Milliseconds between two of the tested times.
  private static let grid = 25

  /// Whether all times are tested, as requested by `FOOTBRIDGE_INTERRUPTS=all`, or only a few.
  private static let triesAll =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_INTERRUPTS"] == "all"

  /// Returns times in milliseconds after a start: either all of them, or `count` of them chosen at
  /// random.
  private static func moments(_ count: Int, upTo last: Int) -> [Int] {
    let all = Array(stride(from: 0, through: last, by: grid))
    guard !triesAll else { return all }
    let seed =
      ProcessInfo.processInfo.environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) }
      ?? .random(in: 0..<1_000_000)
    print("interrupts: FOOTBRIDGE_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    return (0..<count).compactMap { _ in all.randomElement(using: &random) }
  }

  /// Starts a command, interrupts it after the given number of milliseconds, and waits until it
  /// ends. Returns `nil` if the command finished before the interrupt, as can happen on a busy
  /// machine.
  private func interrupt(
    _ arguments: [String], after milliseconds: Int, environment: [String: String],
    by signal: Int32 = SIGINT
  ) async throws -> Program.Outcome? {
    let program = try Program(Program.footbridge, arguments, environment: environment)
    let hasEnded = await happens(within: Double(milliseconds) / 1_000) { !program.isRunning }
    program.signal(signal)
    let outcome = await program.wait(within: Self.limit)
    return hasEnded ? nil : outcome
  }

  @Test func `a recording interrupted at a random time leaves no session without samples`()
    async throws
  {
    let world = try await BoardsWorld()
    for moment in Self.moments(6, upTo: 2_500) {
      let outcome = try await interrupt(
        ["record", "--board", world.addresses[0]], after: moment, environment: world.environment)
      guard let outcome else { continue }
      #expect([0, 130, -SIGINT].contains(outcome.status), "after \(moment) ms: \(outcome)")
    }
    if FileManager.default.fileExists(atPath: world.store) {
      let reader = try StoreReader(path: world.store)
      for session in try reader.sessions() {
        let samples = try reader.streams(of: session.id).reduce(0) { $0 + $1.sampleCount }
        #expect(samples > 0 && session.end != nil)
      }
    }
    // Each interrupted recording left the board in a clean state, so the next recording finds the
    // board.
    let last = try await world.run("record", "--board", world.addresses[0], "--seconds", "1")
    #expect(last.status == 0, "\(last.errors)")
    await world.endWithoutComplaints()
  }

  @Test(arguments: [
    ["stream", "BOARD", "--csv"], ["pair", "BOARD"], ["identify", "BOARD"], ["reset", "BOARD"],
    ["pair", "00:00:00:00:00:01"], ["scan", "--seconds", "600"],
  ])
  func `every command that uses boards ends on an interrupt`(_ words: [String]) async throws {
    let world = try await BoardsWorld()
    let arguments = words.map { $0 == "BOARD" ? world.addresses[0] : $0 }
    for moment in Self.moments(2, upTo: 1_500) {
      let outcome = try await interrupt(
        arguments, after: moment, environment: world.environment)
      guard let outcome else { continue }
      #expect([0, 130, -SIGINT].contains(outcome.status), "after \(moment) ms: \(outcome)")
    }
    await world.endWithoutComplaints()
  }

  @Test(arguments: [
    ["gps", "fixed:53.2,9.9"], ["gps", "/dev/nothing-here"], ["gps", "gpsd://127.0.0.1:1"],
    ["export", "last"], ["store", "check"], ["store", "repair"], ["store", "compact"],
    ["store", "backup", "BACKUP"], ["upload"], ["uploads"], ["fetch", "home"],
    ["destination", "test", "home"], ["delete", "last"], ["sessions"], ["show", "last"],
    ["receive", "--into", "RECEIVED", "--listen", "127.0.0.1:0"], ["simulate"],
    ["simulate", "--", "sleep", "60"],
    ["demo", "--seconds", "60"], ["doctor"],
    ["report", "--output", "-"],
  ])
  func `every command that uses no boards ends on an interrupt`(_ words: [String]) async throws {
    let scratch = try Scratch()
    var recorded = try UploadStore()
    try recorded.record(chunks: 300)
    let environment = scratch.environment.merging(["FOOTBRIDGE_STORE": recorded.path]) { $1 }
    // No server listens at this address.
    _ = try await Program.run(
      Program.footbridge, ["destination", "add", "home", "--http", "http://127.0.0.1:9"],
      environment: environment)
    let arguments = words.map {
      ["BACKUP", "RECEIVED"].contains($0) ? "\(scratch.path)/\($0)" : $0
    }
    for moment in Self.moments(1, upTo: 1_000) {
      try? FileManager.default.removeItem(atPath: scratch.path + "/BACKUP")
      let outcome = try await interrupt(arguments, after: moment, environment: environment)
      guard let outcome else { continue }
      #expect(outcome.status != -SIGKILL, "after \(moment) ms: \(outcome)")
    }
    scratch.expectNothingLeft()
  }
}
