@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The manual pages, as printed by `footbridge help --manual` and installed by the package.
@Suite(.realTime) struct CommandManualTests {
  private static let listed = Commands.all.filter(\.isListed)

  private static let pages: [(file: String, text: String)] =
    [
      ("footbridge.1", CommandManual.overview(of: Commands.self)),
      ("footbridge.conf.5", ConfigurationManual.text),
    ] + listed.map { ("footbridge-\($0.name).1", CommandManual.page(for: $0, of: Commands.self)) }

  @Test func `the manual page of 'start' contains its usage, description and options`() async {
    #expect(
      await Outcome.of("help", "--manual", "start")
        == Outcome(
          status: 0,
          output: #"""
            .TH FOOTBRIDGE\-START 1 "2026-11-29" "footbridge 0.1.0"
            .ad l
            .nh
            .SH NAME
            footbridge\-start \- start a recording on the running gateway
            .SH SYNOPSIS
            \fBfootbridge start\fR [\-\-participant\ PARTICIPANT] [\-\-socket\ FILE] [\-\-config\ FILE]
            .SH DESCRIPTION
            Makes the running gateway (\(aqfootbridge run\(aq) record now. With \(aqwhen = hours\(aq the
            command applies until the hours next begin or end. With \(aqwhen = walking\(aq a
            session begins at once, without waiting for a walk, and lasts until \(aqfootbridge
            stop\(aq.
            .PP
            Waits up to 20 seconds for the session. If the gateway crashes before the
            session is open, it forgets the command. If it crashes later, it continues the
            session.
            .PP
            With \-\-participant, the sessions until the next \(aqfootbridge stop\(aq belong to this
            participant. Otherwise they belong to the participant in the configuration, if
            there is one.
            .SH OPTIONS
            .TP
            \fB\-\-participant\fR \fIPARTICIPANT\fR
            the study participant who wears the boards
            .TP
            \fB\-\-socket\fR \fIFILE\fR
            the socket of the running gateway (default: the one in the configuration file)
            .TP
            \fB\-\-config\fR \fIFILE\fR
            the configuration file (default: /etc/footbridge/footbridge.conf; environment:
            FOOTBRIDGE_CONFIG)
            .TP
            \fB\-q\fR, \fB\-\-quiet\fR
            report only warnings and errors
            .TP
            \fB\-v\fR, \fB\-\-verbose\fR
            report every step
            .TP
            \fB\-h\fR, \fB\-\-help\fR
            show this help and exit
            .SH SEE ALSO
            \fBfootbridge\fR(1), \fBfootbridge.conf\fR(5)

            """#))
  }

  @Test func `examples are in a section of their own, where lines are not filled`() async {
    let page = await Outcome.of("help", "--manual", "hazard").output
    #expect(
      page.contains(
        #"""
        .SH EXAMPLES
        .nf
        footbridge hazard last Slippery=2 \(aqLow branch=1\(aq
        footbridge hazard last Slope=3 \-\-at 12:40
        .fi
        """#))
    #expect(!page.contains("Example: "))
  }

  @Test
  func `the overview names each other page, FOOTBRIDGE_STORE and FOOTBRIDGE_CONFIG exactly once`()
    async
  {
    let page = await Outcome.of("help", "--manual").output
    let references = page.matches(of: /\\fB([a-z\\.-]+)\\fR\(([0-9])\)/).map { match in
      "\(match.1)".replacing("\\-", with: "-") + ".\(match.2)"
    }
    #expect(references.sorted() == Self.pages.map(\.file).filter { $0 != "footbridge.1" }.sorted())
    for variable in ["FOOTBRIDGE_STORE", "FOOTBRIDGE_CONFIG"] {
      #expect(page.components(separatedBy: "\\fB\(variable)\\fR").count == 2, "\(variable)")
    }
  }

  @Test func `text is never interpreted as a roff command or replaced by a typographic character`()
  {
    #expect(ManualText.escaped(".br") == #"\&.br"#)
    #expect(ManualText.escaped("'x' ~/a-b `c` \\ ^") == #"\(aqx\(aq \(ti/a\-b \(gac\(ga \e \(ha"#)
    // A line that is wrapped just before a full stop.
    let word = String(repeating: "x", count: HelpText.width)
    #expect(ManualText.paragraph(word + " .br") == [word, #"\&.br"#])
  }

  /// Returns the path of an installed program. Cancels the test if the program is missing.
  private static func path(_ program: String) throws -> String {
    let path = "/usr/bin/\(program)"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      try Test.cancel("there is no \(program) on this computer")
    }
    return path
  }

  private static func write(to folder: TemporaryFolder) throws -> [String] {
    try pages.map { page in
      let path = folder.path + "/" + page.file
      try Data((page.text + "\n").utf8).write(to: URL(filePath: path))
      return path
    }
  }

  @Test func `mandoc accepts every page without a warning`() async throws {
    let mandoc = try Self.path("mandoc")
    let folder = try TemporaryFolder()
    let outcome = try await Program.run(
      mandoc, ["-T", "lint", "-W", "warning"] + Self.write(to: folder))
    #expect(outcome.output == "")
  }

  @Test func `groff shows options exactly as they must be typed, and their default values`()
    async throws
  {
    let groff = try Self.path("groff")
    let folder = try TemporaryFolder()
    for path in try Self.write(to: folder) {
      let outcome = try await Program.run(
        groff, ["-ww", "-k", "-man", "-T", "utf8", "-P", "-cbou", path])
      #expect(outcome.errors == "", "\(path)")
      #expect(outcome.status == 0)
      #expect(!outcome.output.contains { "‐’‘˜ˆ".contains($0) }, "\(path)")
    }
    for command in Self.listed {
      let outcome = try await Program.run(
        groff,
        ["-k", "-man", "-T", "utf8", "-P", "-cbou", "\(folder.path)/footbridge-\(command.name).1"])
      for option in command.options {
        #expect(outcome.output.contains(option.usage), "\(command.name) \(option.name)")
        if let value = option.defaultValue {
          // A line may be broken between any two words.
          let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          #expect(words.contains("default: \(value)"), "\(command.name) \(option.name)")
        }
      }
    }
  }
}
