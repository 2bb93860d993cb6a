import Foundation
import TestSupport
import Testing
import Values

/// Tours of a page in headless Chromium, run by page_tour.py.
enum PageTour {
  /// Debian's own Python, for which Debian's selenium package is installed.
  static let python = "/usr/bin/python3"

  /// Whether the browser, its driver and selenium are installed.
  static let isInstalled =
    ["/usr/bin/chromium", "/usr/bin/chromedriver", python]
    .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/selenium")
  static let absence: Comment =
    "SKIPPED: chromium is not installed: 'bash .ci/setup --servers' installs it"

  /// Whether Leaflet is installed, so that the page can show a map.
  static let hasLeaflet = FileManager.default.fileExists(
    atPath: "/usr/share/javascript/leaflet/leaflet.js")
  static let absenceOfLeaflet: Comment =
    "SKIPPED: Leaflet is not installed: 'bash .ci/setup --servers' installs it"

  /// Makes a browser accept an invitation and run a tour of the page. Every check of the tour must
  /// pass.
  static func take(
    _ name: String, _ invitation: String, _ options: [String] = [],
    environment: [String: String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let invitation = try JSON(parsing: Array(invitation.utf8))
    let address = try #require(invitation["addresses"]?.list?.first?.text)
    let pin = try #require(invitation["pin"]?.text)
    let outcome = try await Program.run(
      python,
      [Repository.path("page_tour.py", beside: #filePath), name, "--url", address, "--pin", pin]
        + options, environment: environment, within: 600)
    let isPassed = outcome.status == 0 && outcome.output.hasSuffix(" passed, 0 failed\n")
    #expect(isPassed, "\(outcome.output)\(outcome.errors)", sourceLocation: sourceLocation)
  }
}
