import Foundation
import TestSupport
import Testing

/// Simulated boards on a private bus, and the program with its own store.
final class BoardsWorld: Sendable {
  let scratch: Scratch
  /// Board addresses, nearest first.
  let addresses: [String]
  /// Adapter addresses, `hci0` first.
  let adapters: [String]
  /// The path of the simulated receiver, or `nil` without `--gps`.
  let receiver: String?
  private let simulation: Program
  private let bus: String

  /// Starts `footbridge simulate` with additional options.
  init(boards: Int = 1, _ options: [String] = []) async throws {
    scratch = try Scratch()
    simulation = try Program(
      Program.footbridge, ["simulate", "--json", "--boards", "\(boards)"] + options,
      environment: scratch.environment)
    let line = try #require(await simulation.line())
    let told = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    bus = try #require(told["dbus"] as? String)
    receiver = told["gps"] as? String
    adapters = try #require(told["adapters"] as? [String])
    addresses = try #require(told["boards"] as? [[String: String]]).compactMap { $0["address"] }
  }

  /// Path of the program's store, in a folder that does not exist yet.
  var store: String { scratch.path + "/data/store.sqlite" }

  /// Environment variables that make a program use this world.
  var environment: [String: String] {
    scratch.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": bus, "FOOTBRIDGE_STORE": store]) { $1 }
  }

  /// Starts `footbridge` in this world.
  func start(_ arguments: String...) throws -> Program {
    try Program(Program.footbridge, arguments, environment: environment)
  }

  /// Runs `footbridge` in this world, and waits until it exits.
  func run(_ arguments: String...) async throws -> Program.Outcome {
    try await run(arguments)
  }

  func run(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(Program.footbridge, arguments, environment: environment)
  }

  /// Starts `footbridge` in this world on a terminal.
  func start(
    _ arguments: [String], onTerminal path: String, readsTerminal: Bool = false,
    kind: String = "xterm-256color"
  ) throws -> Program {
    try Program(
      Program.footbridge, arguments,
      environment: environment.merging(["TERM": kind]) { $1 }, onTerminal: path,
      readsTerminal: readsTerminal)
  }

  /// Suspends all processes of the simulation, as if the machine had hung.
  func freeze() { simulation.signal(SIGSTOP) }

  /// Resumes the simulation.
  func thaw() { simulation.signal(SIGCONT) }

  /// Ends the simulation. Fails if a board received a command that it does not support.
  func endWithoutComplaints(sourceLocation: SourceLocation = #_sourceLocation) async {
    simulation.signal(SIGTERM)
    let outcome = await simulation.wait()
    #expect(
      !outcome.errors.contains("complaint"), "\(outcome.errors)", sourceLocation: sourceLocation)
  }
}
