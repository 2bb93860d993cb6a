import Foundation
import TestSupport
import Testing

/// `footbridge report` in a separate process, with a journal supplied by the test.
@Suite(.realTime) struct ReportTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Runs a report in which this script replaces the program `journalctl`.
  private func run(journal: String) async throws -> Program.Outcome {
    let folder = scratch.path + "/bin"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/journalctl"
    try Data("#!/bin/sh\n\(journal)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return try await Program.run(
      Program.footbridge, ["report", "--offline", "--output", "-"],
      environment: scratch.environment.merging([
        "PATH": folder + ":/usr/bin:/bin", "FOOTBRIDGE_STORE": scratch.path + "/s.sqlite",
      ]) { $1 })
  }

  private func log(of outcome: Program.Outcome) throws -> Substring {
    let range = try #require(outcome.output.range(of: "\n== log ==\n\n"), "\(outcome)")
    return outcome.output[range.upperBound...]
  }

  @Test func `the report contains the newest lines of the service's log, with the secrets removed`()
    async throws
  {
    let outcome = try await run(
      journal: "echo \"$@\"; echo 'level=notice event=x url=https://a:b@c/d?e'; echo oops >&2")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      try log(of: outcome) == """
        --unit footbridge.service --lines 2000 --no-pager --output short-iso --quiet
        level=notice event=x url=https://***@c/d?***
        oops

        """)
  }

  @Test
  func `the report contains the kernel's and bluetoothd's logs, or says why one is missing`()
    async throws
  {
    let outcome = try await run(
      journal: """
        case $* in
          *--dmesg*) echo 'now pi kernel: Bluetooth: hci0: command 0x0c03 tx timeout'
            echo 'now pi kernel: eth0: Link is Up' ;;
          *bluetooth*) exit 0 ;;
          *) echo service ;;
        esac
        """)
    #expect(
      outcome.output.contains(
        """

        == kernel ==

        now pi kernel: Bluetooth: hci0: command 0x0c03 tx timeout

        == bluetoothd ==

        unavailable: the journal has no entries about bluetooth.service
          run the report as root or as a member of the group 'systemd-journal'; if bluetooth.service \
        never ran, there are no such entries

        == log ==
        """), "\(outcome.output)")
    #expect(
      outcome.output.contains("warning  kernel       hci0 has failed to respond to a command once"))
  }

  @Test func `words from a login file are removed from the log lines`() async throws {
    let file = scratch.path + "/login.json"
    let secret = "Wa/lk+ing 2"
    try Data(
      #"{"email": "anna@example.org", "password": "\#(secret)", "api_key": "AIzaSyB-1x"}"#.utf8
    ).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let added = try await Program.run(
      Program.footbridge,
      [
        "destination", "add", "study", "--firestore", "walks", "--login-file", file, "--store",
        scratch.path + "/s.sqlite",
      ], environment: scratch.environment)
    #expect(added.status == 0, "\(added.errors)")
    let outcome = try await run(
      journal: "echo 'x Wa/lk+ing 2 y Wa%2Flk%2Bing+2 z AIzaSyB-1x anna%40example.org walks'")
    #expect(try log(of: outcome) == "x *** y *** z *** *** walks\n")
    #expect(!outcome.output.contains(secret) && !outcome.output.contains("anna"))
  }

  @Test func `an unreadable or empty journal is reported, and an overly long one is truncated`()
    async throws
  {
    let refused = try await run(journal: "echo 'no permission'; exit 1")
    #expect(try log(of: refused) == "no permission\njournalctl exited with status 1\n")
    let empty = try await run(journal: "true")
    #expect(
      try log(of: empty).hasPrefix(
        "unavailable: the journal has no entries about footbridge.service\n"))
    let long = try await run(journal: "seq 1 400000")
    let lines = try log(of: long)
    #expect(lines.hasSuffix("\n400000\n") && lines.utf8.count <= 1 << 20)
    scratch.expectNothingLeft()
  }
}
