@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The commands quoted in the program's remedies and other texts.
@Suite(.computation) struct RemedyTests {
  /// A command quoted in a text.
  private struct Quote: Hashable, CustomStringConvertible {
    var file: String
    var words: [String]
    /// The interpolated parts of the text, except for parts that `ShellText` quotes.
    var parts: [String] = []
    /// Whether the command is in a remedy. Outside a remedy, a command may be quoted without its
    /// operands.
    var isRemedy: Bool

    var description: String { "\(file): footbridge \(words.joined(separator: " "))" }
  }

  /// Sample values for the interpolated parts, which the user or the program fills in.
  private static let fillings = [
    "ADDRESS": "C8:4B:AA:97:50:05", "BOARD": "left", "COMMAND": "scan", "FILE": "f",
    "FOLDER": "f", "PATH": "/srv", "KEY": "recording.when", "SESSION": "last", "VALUE": "always",
    #"\(action.rawValue)"#: "add", #"\(address)"#: "C8:4B:AA:97:50:05",
    #"\(board)"#: "C8:4B:AA:97:50:05", #"\(word)"#: "test",
  ]

  private static func quotes() throws -> [Quote] {
    let folder = Repository.path("Sources")
    let files = try #require(FileManager.default.enumerator(atPath: folder))
      .compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Development/") }
      // In this file, the program's name followed by a word is the beginning of a text that is
      // hashed.
      .filter { !$0.hasSuffix("GatewayIdentity.swift") }
    // A quoted command is between single quotes, is the whole text, or ends the text after a colon.
    let quote =
      #/'(?:sudo )?(?:footbridge|\\\(Version\.program\)) ([^'\n]*)'|(?:: |")footbridge ([a-z][^"'\n]*)"/#
    return try files.sorted().flatMap { file -> [Quote] in
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        .replacing(#/(?m)^\s*//.*$/#, with: "")
        .replacing(#/"\s*\n\s*\+ "/#, with: "")
        .replacing(#/\\\n\s*/#, with: "")
      return text.matches(of: quote).map { match in
        let before = text[..<match.range.lowerBound]
        func place(_ word: String) -> String.Index {
          before.range(of: word, options: .backwards)?.upperBound ?? text.startIndex
        }
        let others = max(place("discussion:"), place("help:"), place("text:"))
        // A quoted word is one word. Text after a pipe or a redirection is not parsed.
        let command = (match.output.1 ?? match.output.2 ?? "")
          .replacing(#/\\\(ShellText\.quoted\([^()]*\)\)/#, with: "home")
          .replacing(#/ \\\(end\)$/#, with: "")
        let words =
          command
          .replacing(#/\\\([^()]*\)/#) { fillings["\($0.output)"] ?? "home" }.split(separator: " ")
        return Quote(
          file: file,
          words: words.map { word in
            fillings["\(word)"] ?? (word.allSatisfy(\.isUppercase) ? "home" : "\(word)")
          }, parts: command.matches(of: #/\\\(([^()]*)\)/#).map { "\($0.output.1)" },
          isRemedy: place("remedy") > others)
      }
    }
  }

  @Test func `every command quoted in the program's text parses`() async throws {
    let quotes = try Set(Self.quotes())
    #expect(quotes.count > 100)
    for quote in quotes.sorted(by: { "\($0)" < "\($1)" }) {
      let outcome = await Outcome.of(quote.words, environment: ["HOME": "/home/ada"])
      if outcome.status != 0, !quote.isRemedy {
        #expect(await Outcome.of(quote.words[0], "--help").status == 0, "\(quote)")
      } else {
        #expect(outcome.status == 0, "\(quote): \(outcome.errors)")
      }
    }
  }

  @Test
  func `paths and names that contain a space are quoted in the command that a remedy suggests`()
    throws
  {
    // These parts are the program's own words or addresses, which contain no spaces.
    let plain = [
      "action.rawValue", "address", "board", "word", "word.rawValue", "Version.program", "verb",
      "command", "session", "$0",
    ]
    for quote in try Self.quotes() {
      #expect(quote.parts.allSatisfy(plain.contains), "\(quote): \(quote.parts)")
    }
    let folder = Repository.path("Sources")
    // The values named `word` and `file` are quoted before they are inserted.
    let other = #/(?:chmod|chown|mount|tee) [^"'\n]*\\\((?!ShellText|geteuid|word\)|file\))/#
    for case let file as String in try #require(FileManager.default.enumerator(atPath: folder))
    where file.hasSuffix(".swift") && !file.hasPrefix("Development/") {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      #expect(text.firstMatch(of: other) == nil, "\(file)")
    }
  }

  @Test func `the remedy for a destination name that is in use refers to the same store`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path + "/a walk.sqlite"
    func add(_ name: String, _ place: String) async -> Outcome {
      await Outcome.of(
        ["destination", "add", name, "--folder", place, "--store", store], commands: Commands.all)
    }
    #expect(await add("lab", folder.path).status == 0)
    for (name, place) in [("lab", "/tmp"), ("other", folder.path)] {
      let remedy = "'footbridge destination remove lab --store '\(store)''"
      let taken = await add(name, place)
      #expect(taken.errors.contains(remedy), "\(taken.errors)")
    }
    let typed = await Outcome.of(
      ["destination", "remove", "lab", "--store", store], commands: Commands.all)
    #expect(typed.status == 0, "\(typed.errors)")
  }

  @Test
  func `without destinations, the remedies of 'uploads' and 'destination list' name the store`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path + "/s.sqlite"
    let added = await Outcome.of(
      ["destination", "add", "lab", "--folder", folder.path, "--store", store],
      commands: Commands.all)
    #expect(added.status == 0, "\(added.errors)")
    let removed = await Outcome.of(
      ["destination", "remove", "lab", "--store", store], commands: Commands.all)
    #expect(removed.status == 0, "\(removed.errors)")
    for command in [["uploads"], ["destination", "list"]] {
      let none = await Outcome.of(command + ["--store", store], commands: Commands.all)
      let remedy = "'footbridge destination add NAME --store \(store)' and --http"
      #expect(none.errors.contains(remedy), "\(none.errors)")
    }
  }

  @Test
  func `remedies of 'show --fleet' and 'fetch' repeat the gateway, the token and the certificates`()
  {
    let known = Commands.all
    func repeated(_ name: String, _ arguments: [String], _ remedy: String) -> String? {
      known.first { $0.name == name }.map { command in
        RepeatedOptions(arguments, of: command.options).repeated(in: remedy, known)
      }
    }
    let place = ["https://h", "--gateway=7", "--token-file", "a token", "--ca-file", "ca"]
    let list = "'footbridge sessions --fleet https://h --all' lists all sessions"
    let expected = "--gateway 7 --token-file 'a token' --ca-file ca' lists all sessions"
    for (name, option) in [("show", "--fleet"), ("fetch", "--from")] {
      #expect(
        repeated(name, [option] + place, list)
          == "'footbridge sessions --fleet https://h --all \(expected)")
      #expect(
        repeated(name, [option] + place, "'footbridge sessions' lists all sessions")
          == "'footbridge sessions --fleet https://h \(expected)")
    }
    // The option is not repeated if the remedy is to leave it out.
    #expect(
      repeated(
        "show", ["--fleet", "https://h", "--gateway", "7"],
        "leave '--gateway' out: 'footbridge sessions --json' shows their ids")
        == "leave '--gateway' out: 'footbridge sessions --json --fleet https://h' shows their ids")
    // A destination has its own token.
    #expect(
      repeated("show", ["--fleet"] + place, "'footbridge destination add' helps")
        == "'footbridge destination add' helps")
  }

  @Test func `commands in a remedy repeat the store and the gateway of the failed command`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path + "/a walk.sqlite"
    let none = await Outcome.of(["web", "forget", "Ada", "--store", store], commands: Commands.all)
    #expect(none.errors.hasSuffix("'footbridge web list --store '\(store)'' shows ids and names\n"))
    let empty = await Outcome.of(["web", "list", "--store=\(store)"], commands: Commands.all)
    #expect(empty.errors.contains("'footbridge web pair --store '\(store)''"), "\(empty.errors)")
    let file = folder.path + "/none.conf"
    let unheard = await Outcome.of(
      ["start", "--socket", "/none/s", "--config", file], commands: Commands.all)
    #expect(unheard.errors.contains("or 'footbridge run --config \(file)'"), "\(unheard.errors)")
  }

  @Test func `a command in a remedy still parses after the user's options are added`() async throws
  {
    let known = Commands.all
    let options = ["store": "/srv/a walk.sqlite", "config": "/srv/f.conf", "socket": "/run/s"]
    let arguments = options.flatMap { ["--\($0.key)", $0.value] }
    let all = known.flatMap(\.options).filter { options[$0.name] != nil }
    let repeated = RepeatedOptions(arguments, of: all)
    for quote in try Set(Self.quotes()) where quote.isRemedy && quote.words.last != "--help" {
      let command = "footbridge " + quote.words.joined(separator: " ")
      let text = repeated.repeated(in: "'\(command)' helps", known)
      let taken = known.first { $0.name == quote.words.first }?.options.map(\.name) ?? []
      let added = options.keys.filter { taken.contains($0) && !quote.words.contains("--\($0)") }
      let parts = text.split(separator: " --").dropFirst()
      for name in added { #expect(parts.contains { $0.hasPrefix("\(name) ") }, "\(text)") }
      let words = quote.words + added.flatMap { ["--\($0)", options[$0] ?? ""] }
      let outcome = await Outcome.of(words, environment: ["HOME": "/home/ada"])
      #expect(outcome.status == 0, "\(text): \(outcome.errors)")
    }
    let help = "try 'footbridge web --help'"
    #expect(repeated.repeated(in: help, known) == help)
  }
}
