import Foundation
import TestSupport
import Testing
import Values

/// The page in a browser, in front of a gateway at work.
@Suite(.realTime) struct PageTourTests {
  private static let python = "/usr/bin/python3"

  /// Debian's browser with its driver, and selenium for Debian's Python.
  private static let hasBrowser =
    ["/usr/bin/chromium", "/usr/bin/chromedriver", python]
    .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/selenium")

  @Test(
    .enabled(if: hasBrowser, "needs chromium: 'bash .ci/setup --servers' installs it"))
  func `a browser finds everything on the page, by keyboard and by touch`() async throws {
    // Gaps wherever a session begins.
    let outages = stride(from: 8, to: 400, by: 8).flatMap { ["--fault", "outage@\($0):1"] }
    let world = try await BoardsWorld(boards: 2, ["--gps"] + outages)
    let gateway = try await world.startGateway()
    let invitation = try JSON(parsing: Array(gateway.invitation.utf8))
    let address = try #require(invitation["addresses"]?.list?.first?.text)
    let pin = try #require(invitation["pin"]?.text)
    let outcome = try await Program.run(
      Self.python,
      [Repository.path("page_tour.py", beside: #filePath), "--url", address, "--pin", pin],
      environment: world.scratch.environment, within: 600)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.hasSuffix(" passed, 0 failed\n"), "\(outcome.output)")
    gateway.program.signal(SIGTERM)
    let end = await gateway.program.wait()
    #expect(end.status == 0, "\(end.errors)")
    await world.endWithoutComplaints()
  }
}
