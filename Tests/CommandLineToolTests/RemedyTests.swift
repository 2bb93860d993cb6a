@testable import CommandLineTool
import Foundation
import TestSupport
import Testing

/// The commands that remedies and other texts of the program name.
@Suite(.computation) struct RemedyTests {
  /// A command in a text.
  private struct Quote: Hashable, CustomStringConvertible {
    var file: String
    var words: [String]
    /// Whether it is in a remedy. Other texts may name a command without its operands.
    var isRemedy: Bool

    var description: String { "\(file): footbridge \(words.joined(separator: " "))" }
  }

  /// Words for the parts that a text leaves to the user or to the moment.
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
      // There, the program's name and a word begin what is hashed.
      .filter { !$0.hasSuffix("GatewayIdentity.swift") }
    // Between single quotes, or as a whole text or its end after a colon.
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
        let words = (match.output.1 ?? match.output.2 ?? "")
          .replacing(#/\\\([^()]*\)/#) { fillings["\($0.output)"] ?? "home" }.split(separator: " ")
        return Quote(
          file: file,
          words: words.map { word in
            fillings["\(word)"] ?? (word.allSatisfy(\.isUppercase) ? "home" : "\(word)")
          }, isRemedy: place("remedy") > others)
      }
    }
  }

  @Test func `every command that a text of the program names is understood`() async throws {
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
}
