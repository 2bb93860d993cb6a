import Foundation
import TestSupport
import Testing
import Values

/// A fleet's database with its tables, and programs that use the database.
struct FleetPlace {
  let scratch: Scratch
  let database: String

  /// Creates a database on the server that all tests share.
  init(_ scratch: Scratch) async throws {
    self.scratch = scratch
    database = try await PostgresServer.running().database()
    let made = try await tool("migrate")
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Runs `footbridge` with a store.
  func run(store: String, _ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.footbridge, arguments, environment: environment(store))
  }

  /// Runs `footbridge-fleet`.
  func tool(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.fleet, arguments, environment: environment())
  }

  private func environment(_ store: String = "") -> [String: String] {
    scratch.environment.merging([
      "FOOTBRIDGE_DATABASE": database, "FOOTBRIDGE_STORE": store, "no_proxy": "*",
    ]) { $1 }
  }

  /// Adds a gateway or a reader, and returns the file with its token.
  func add(_ name: String, _ options: String...) async throws -> (token: String, file: String) {
    let outcome = try await Program.run(
      Program.fleet, ["add", name, "--database", database, "--json"] + options,
      environment: scratch.environment)
    try #require(outcome.status == 0, "\(outcome.errors)")
    let report = try JSONDecoder().decode(JSON.self, from: Data(outcome.output.utf8))
    let token = try #require(report["token"]?.text)
    let file = scratch.path + "/token-\(name)"
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600]))
    return (token, file)
  }

  /// Runs SQL in the database.
  func query(_ statement: String) async throws {
    let outcome = try await PostgresServer.query(database, statement)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  /// Starts a receiver, optionally as a different database user.
  func receiver(as user: String = "footbridge") async throws -> ReceiverProgram {
    try await ReceiverProgram(
      of: Program.fleet, into: address(as: user), environment: scratch.environment)
  }

  /// Returns the database address for a user.
  func address(as user: String) -> String {
    database.replacingOccurrences(of: "://footbridge@", with: "://\(user)@")
  }
}
