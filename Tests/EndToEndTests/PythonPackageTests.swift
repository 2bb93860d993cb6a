import Foundation
import TestSupport
import Testing

/// Runs the tests of the package in `Sources/Python`. They record a simulated walk, and compare the
/// package's arrays with an export of the walk.
@Suite(
  .realTime, .enabled(if: Repository.hasPythonPackage, Repository.absenceOfPythonPackage))
struct PythonPackageTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `the Python package reads the gateway's recordings`() async throws {
    var environment = scratch.environment.merging(Repository.pythonPath) { $1 }
    environment["FOOTBRIDGE"] = Program.footbridge
    let outcome = try await Program.run(
      Repository.python,
      [
        "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--basetemp",
        scratch.path + "/python", Repository.path("Tests/Python"),
      ],
      environment: environment, within: 3 * patience)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    // Lists the tests that were skipped because a package is missing.
    for line in outcome.output.split(separator: "\n") where line.hasPrefix("SKIPPED") {
      print(line)
    }
  }
}
