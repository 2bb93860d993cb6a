import Foundation
import FleetTool
import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

@Suite(.computation) struct FleetHelpTests {
  @Test func `the help for every command matches the file next to this test`() throws {
    let commands = FleetProgram.all
    let sections =
      ["$ footbridge-fleet --help\n" + HelpText.overview(of: FleetProgram.self)]
      + commands.map { "$ \($0.call) --help\n" + HelpText.command($0) }
    let help = sections.joined(separator: "\n\n") + "\n"
    for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    try expect(help: help, isIn: Repository.path("help.txt", beside: #filePath))
  }

  @Test
  func `every footbridge-fleet command and option quoted in a source file or document exists`()
    throws
  {
    let known = Dictionary(uniqueKeysWithValues: FleetProgram.all.map { ($0.name, $0.options) })
    var count = 0
    for folder in ["Sources", "docs"].map({ Repository.path($0) }) {
      for case let file as String in try #require(FileManager.default.enumerator(atPath: folder))
      where file.hasSuffix(".swift") || file.hasSuffix(".md") {
        let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
          .replacing("\\\n", with: " ")
        for match in text.matches(of: #/footbridge-fleet ([a-z]+)([^'`\n]*)/#) {
          let name = String(match.1)
          let options = try #require(known[name], "\(file): \(match.0)")
          count += 1
          for option in match.2.matches(of: #/--([a-z-]+)/#) {
            #expect(options.contains { $0.name == option.1 }, "\(file): \(match.0)")
          }
        }
      }
    }
    #expect(count > 30)
  }

  @Test func `footbridge-fleet's completion scripts contain its commands`() {
    for shell in CompletionScript.Shell.allCases {
      let script = CompletionScript.text(for: shell, of: FleetProgram.self)
      #expect(script.contains("migrate") && script.contains("footbridge-fleet"))
      #expect(!script.contains("footbridge-fleet-fleet"))
    }
  }
}
