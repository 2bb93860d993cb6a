import Foundation
import LinuxSystem
import Storage
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// A support report created in this process: its sections, its file, and the data that it must
/// never contain.
@Suite(.computation) struct SupportReportTests {
  private let folder: TemporaryFolder
  private var environment: [String: String] {
    [
      "FOOTBRIDGE_CONFIG": folder.path + "/footbridge.conf",
      "FOOTBRIDGE_STORE": folder.path + "/walks.sqlite",
    ]
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ arguments: String...) async -> Outcome {
    await Outcome.of(
      ["report", "--offline"] + arguments, environment: environment, commands: Commands.all)
  }

  @Test
  func `a section that fails, hangs or is empty does not affect the rest of the report`()
    async throws
  {
    let report = SupportReport(
      sections: [
        .init("one", patience: 60) { throw Complaint("it is gone", remedy: "look\nagain") },
        .init("two", patience: 0.05) {
          try await Pause.seconds(600)
          return []
        },
        .onThread("three", patience: 60) { [] },
        .onThread("four", patience: 60) { ["bell \u{7} and\ttab", "password=x"] },
      ], concealment: Concealment())
    var titles: [String] = []
    let text = try await report.text(of: "trolley", at: UTCTime(nanoseconds: 0)) {
      titles.append($0)
    }
    #expect(titles == ["one", "two", "three", "four"])
    #expect(
      text == """
        Report of \(Version.text) on trolley, 1970-01-01T00:00:00Z
        *** replaces secrets, participants, wearers and fixed places. Read this report before you send it.

        == one ==

        unavailable: it is gone
          look
          again

        == two ==

        unavailable: no response within 0.0 s

        == three ==

        nothing

        == four ==

        bell  and  tab
        password=***

        """)
  }

  @Test
  func `the report's file is private, does not replace another file, and contains no secrets`()
    async throws
  {
    let token = folder.path + "/token"
    try Data("a-token-that-nobody-sees\n".utf8).write(to: URL(filePath: token))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    let added = await Outcome.of(
      ["destination", "add", "home", "--http", "https://h.example.org", "--token-file", token],
      environment: environment, commands: Commands.all)
    #expect(added.status == 0, "\(added.errors)")
    try Data(
      """
      [board left]
      address = C8:4B:AA:97:50:05
      ; a-token-that-nobody-sees
      [recording]
      wearer = Miller ; Kennwort: K7
      note = hunter2
      """.utf8
    ).write(to: URL(filePath: folder.path + "/footbridge.conf"))
    let path = folder.path + "/out.txt"
    let outcome = await run("--output", path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("\(path): "), "\(outcome.output)")
    let text = try #require(WholeFile.text(path))
    for title in ["computer", "doctor", "status", "configuration", "store", "log"] {
      #expect(text.contains("\n== \(title) ==\n\n"))
    }
    // Comments are removed completely instead of being searched for secrets.
    #expect(text.contains("\n[board left]\naddress = C8:4B:AA:97:50:05\n[recording]\n"))
    #expect(text.contains("token in \(token)"))
    #expect(text.contains("unavailable: the gateway does not respond: "))
    for secret in ["a-token", "Miller", "hunter2", "K7"] { #expect(!text.contains(secret)) }
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    #expect(facts[.posixPermissions] as? Int == 0o600)
    #expect(
      await run("--output", path)
        == Outcome(
          status: 1,
          errors: """
            error: cannot write \(path): the file already exists
                   give another name

            """))
    #expect(WholeFile.text(path) == text)
  }

  @Test func `a report in a folder gets a unique file name, and a dash means standard output`()
    async throws
  {
    try Data().write(to: URL(filePath: folder.path + "/footbridge.conf"))
    let inFolder = await run("--output", folder.path)
    #expect(inFolder.status == 0, "\(inFolder.errors)")
    let names = try Folder.names(in: folder.path).filter { $0.hasPrefix("footbridge-report-") }
    #expect(names.count == 1 && names[0].hasSuffix("Z.txt"), "\(names)")
    let printed = await run("--output", "-")
    #expect(printed.output.hasPrefix("Report of footbridge "), "\(printed)")
    #expect(printed.output.hasSuffix("\n") && !printed.output.hasSuffix("\n\n"))
    #expect(await run("--output", "/dev/null").status == 1)
    #expect(
      ReportCommand.fileName(
        of: "pi 4/é", at: UTCTime(year: 2026, month: 11, day: 25, nanosecondOfDay: 0))
        == "footbridge-report-pi-4---20261125T000000Z.txt")
  }

  @Test
  func `the facts about a computer are read from its files, and unavailable facts are omitted`()
    throws
  {
    let tree = try TestTree([
      "/etc/os-release": "NAME=\"x\"\nPRETTY_NAME=\"Debian 12\"",
      "/proc/device-tree/model": "Raspberry Pi 4\0", "/proc/uptime": "7300.5 1.0",
      "/proc/meminfo": "MemTotal:  4000000 kB\nMemAvailable: 1000000 kB",
    ]).tree
    let lines = ComputerFacts.lines(tree)
    #expect(
      lines.map { String($0.prefix { $0 != " " }) }
        == ["program", "libraries", "system", "machine", "memory", "up"])
    #expect(
      lines[2...] == [
        "system     Debian 12", "machine    Raspberry Pi 4",
        "memory     4.1 GB, 1.0 GB available", "up         2 h",
      ])
  }
}
