import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// A receiver that serves a fleet's page, a paired browser, and commands that read the same data.
struct FleetPageProgram: Sendable {
  let page: PageProgram
  let port: UInt16
  /// The folder for copies of walks.
  let folder: String
  private let environment: [String: String]
  private let reader: String

  /// Starts a receiver that stores copies of walks in `folder`, and pairs a browser. The commands
  /// use the token in the file `reader`.
  init(
    into database: String, copies folder: String, reader: String, _ options: [String] = [],
    environment: [String: String]
  ) async throws {
    self.environment = environment.merging(["no_proxy": "*"]) { $1 }
    self.reader = reader
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let program = try Program(
      Program.fleet,
      [
        "receive", "--into", database, "--listen", "127.0.0.1:0", "--page", "127.0.0.1:0", "--json",
      ] + options,
      environment: environment.merging(["TMPDIR": folder, "XDG_DATA_HOME": folder + "-data"]) { $1 }
    )
    guard let line = await program.line(where: { $0.contains("listening") }),
      let invitation = await program.line(where: { $0.contains("addresses") })
    else {
      let outcome = await program.wait(within: 1)
      throw Failure(description: "the receiver does not start: \(outcome.errors)")
    }
    let start = try JSON(parsing: Array(line.utf8))
    port = try #require(
      start["listening"]?.text?.split(separator: ":").last.flatMap { UInt16($0) })
    page = try PageProgram(program, invitation: invitation)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The options that make a command read from the receiver.
  var place: [String] { ["--fleet", "http://127.0.0.1:\(port)", "--token-file", reader] }

  /// Runs a command that reads from the receiver.
  func run(_ arguments: String...) async throws -> Program.Outcome { try await run(arguments) }

  func run(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(Program.footbridge, arguments + place, environment: environment)
  }

  /// Repeats a request until the walk has arrived, and returns the response.
  func answer(_ path: String) async throws -> RawConnection.Answer {
    var answer = try page.ask(path)
    try await wait(for: "\(path) is there") {
      if answer.status == 503 { answer = try page.ask(path) }
      return answer.status != 503
    }
    return answer
  }

  /// Expects the page to show the same session data as the commands, and to export the same bytes
  /// in five formats.
  func expectSame(
    _ session: UniqueID, ending status: Int32 = 0, in folder: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let told = try await answer("sessions/\(session)")
    let shown = try await run("show", "\(session)", "--json")
    #expect(shown.status == status, "\(shown.errors)", sourceLocation: sourceLocation)
    #expect(Self.asShown(told.text) == shown.output, sourceLocation: sourceLocation)
    for format in ["csv", "jsonl", "json", "geojson", "gpx"] {
      let file = folder + "/\(UUID().uuidString).\(format)"
      let exported = try await run(
        "export", "\(session)", "--format", format, "--output", file)
      let expected = ["geojson", "gpx"].contains(format) ? 0 : status
      #expect(exported.status == expected, "\(exported.errors)", sourceLocation: sourceLocation)
      let found = try page.download("sessions/\(session)/export?format=\(format)")
      let isSame = try found == Array(Data(contentsOf: URL(filePath: file)))
      #expect(isSame && !found.isEmpty, "\(format)", sourceLocation: sourceLocation)
    }
  }

  /// Returns a walk as `show --json` prints it, without the gateway's name, which only the page
  /// adds.
  static func asShown(_ told: String) -> String {
    told.replacing(/,"gatewayName":"[^"]*"\}$/, with: "}") + "\n"
  }

  /// Ends the receiver with an interrupt, as Ctrl-C does.
  func finish() async {
    page.program.signal(SIGINT)
    let outcome = await page.program.wait()
    #expect(outcome.status == 130, "\(outcome.errors)")
  }
}
