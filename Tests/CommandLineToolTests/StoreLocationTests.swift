@testable import CommandLineTool
import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct StoreLocationTests {
  struct Case: Sendable {
    var environment: [String: String]
    var path: String
  }

  @Test(arguments: [
    Case(
      environment: ["HOME": "/home/ada"],
      path: "/home/ada/.local/share/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "/data"],
      path: "/data/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "relative"],
      path: "/home/ada/.local/share/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "", "FOOTBRIDGE_STORE": ""],
      path: "/home/ada/.local/share/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "/data", "FOOTBRIDGE_STORE": "s.db"],
      path: "s.db"),
  ])
  func `the environment names the store`(_ given: Case) throws {
    #expect(try StoreLocation(environment: given.environment).path() == given.path)
  }

  @Test func `the option goes before the environment`() async {
    let environment = ["HOME": "/home/ada", "FOOTBRIDGE_STORE": "/run/other.sqlite"]
    #expect(await path([], environment) == "/run/other.sqlite\n")
    #expect(await path(["--store", "mine.sqlite"], environment) == "mine.sqlite\n")
    #expect(await path(["--store=mine.sqlite"], [:]) == "mine.sqlite\n")
  }

  @Test func `without a home the store has to be named`() {
    #expect(
      throws: Complaint(
        "cannot tell where the store is: HOME is not set",
        remedy: "name it with --store FILE or in the variable FOOTBRIDGE_STORE", status: .usage)
    ) { try StoreLocation(environment: [:]).path() }
  }

  @Test func `a link to a store means the store, whose lock and tail are beside it`() async throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.path + "/walk.sqlite", folder.path + "/link")
    try Data().write(to: URL(filePath: file))
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "walk.sqlite")
    let real = PathPattern.target(of: file)
    #expect(await path(["--store", link], [:]) == real + "\n")
    #expect(await path(["--store", file], [:]) == file + "\n")
  }

  @Test func `the help tells default and variable`() {
    #expect(
      HelpText.command(probe).contains(
        """
              --store FILE  the store
                            (default: $XDG_DATA_HOME/footbridge/footbridge.sqlite;
                            environment: FOOTBRIDGE_STORE)
        """))
  }

  /// A command that prints the path of its store.
  private struct Probe: Verb {
    var store: StoreLocation

    static let definition = CommandDefinition<Probe>(
      name: "probe", summary: "", discussion: "",
      initial: { Probe(store: StoreLocation(environment: $0)) },
      options: [.store(sets: \.store)])

    func run(_ console: Console) throws -> CommandLineTool.ExitStatus {
      try console.print(store.path())
      return .ok
    }
  }

  private let probe = Command(Probe.self)

  private func path(_ arguments: [String], _ environment: [String: String]) async -> String {
    let output = MemorySink()
    let console = Console(output: output, errors: MemorySink())
    let status = try? await probe.run(
      arguments, common: CommonConfiguration(), environment: environment, console: console)
    #expect(status == .ok)
    return output.text
  }
}
