@testable import CommandLineTool
@testable import Terminal
import Foundation
import MetaWearProtocol
import TestSupport
import Testing

@Suite(.computation) struct HelpTextTests {
  /// Returns the help for the program and for every command, each preceded by its command line.
  private static func help() async -> String {
    var sections: [String] = []
    for words in [["--help"]] + Commands.all.map({ [$0.name, "--help"] }) {
      let shown = await Outcome.of(words)
      #expect(shown.status == 0 && shown.errors.isEmpty, "\(words)")
      sections.append("$ footbridge \(words.joined(separator: " "))\n" + shown.output)
    }
    return sections.joined(separator: "\n")
  }

  @Test func `the help for every command matches the file next to this test`() async throws {
    try expect(help: await Self.help(), isIn: Repository.path("help.txt", beside: #filePath))
  }

  @Test func `help is shown for -h, for 'help', and for --help before or after other arguments`()
    async
  {
    let overview = await Outcome.of("--help")
    #expect(await Outcome.of("-h") == overview)
    #expect(await Outcome.of("help") == overview)
    #expect(await Outcome.of("--help", "demo") == overview)
    let demo = await Outcome.of("demo", "--help")
    #expect(demo != overview)
    #expect(await Outcome.of("help", "demo") == demo)
    #expect(await Outcome.of("demo", "--seconds", "1", "-h") == demo)
    #expect(await Outcome.of("help", "help") == Outcome.of("help", "--help"))
  }

  @Test func `'simulate' uses the known model names, and the list of models contains all of them`()
  {
    let known = Dictionary(uniqueKeysWithValues: KnownBoard.allCases.map { ($0.rawValue, "\($0)") })
    for model in SimulateCommand.Model.allCases {
      #expect(known[model.rawValue] == "\(model)")
    }
    let told = KnownBoard.words.split { ", ()".contains($0) }
    for word in known.keys { #expect(told.contains { $0 == word }) }
  }

  @Test func `no line in any help text is wider than 80 columns`() {
    let commands = Commands.all
    let texts = [HelpText.overview(of: Commands.self)] + commands.map(HelpText.command)
    for line in texts.joined(separator: "\n").split(separator: "\n") {
      #expect(line.count <= 80)
    }
  }

  @Test func `options and operands declare the kinds of their values`() {
    let commands = Commands.all
    let demo = commands.first { $0.name == "demo" }?.options
    #expect(
      demo?.map(\.argument?.kind) == [
        nil, .seconds(upTo: 86_400), .wholeNumber(from: 1, through: 10),
        .wholeNumber(from: 1, through: 4), .own(.sensor),
        .word(["single", "packed", "counted-pair", "counted", "timed"]), .own(.positions), nil,
        .folder,
        nil, .wholeNumber(from: 0, through: .max), .own(.wearer),
      ])
    let model = commands.first { $0.name == "simulate" }?.options.first { $0.name == "model" }
    #expect(
      model?.argument
        == Argument("S|RL|MMC|C|R|ENV", .word(["S", "RL", "MMC", "C", "R", "ENV"])))
    #expect(commands.last?.operands.map(\.argument) == [Argument("COMMAND", .command)])
  }
}
