import LinuxSystem
import TestSupport
import Testing

/// The commands that are quoted in the documents.
@Suite(.computation) struct DocumentedCommandsTests {
  private struct Mention: CustomStringConvertible {
    var document: String
    var words: [String]
    /// Whether the command is in a code block, where the reader is expected to type it.
    var isToType: Bool

    var description: String { "\(document): footbridge \(words.joined(separator: " "))" }
  }

  private static let documents: [String] = {
    let names = (try? Folder.names(in: Repository.path("docs"))) ?? []
    return ["README.md"]
      + names.filter { $0.hasSuffix(".md") && $0 != "changelog.md" }.sorted().map { "docs/" + $0 }
  }()

  private static func mentions(in document: String) throws -> [Mention] {
    let text = try #require(WholeFile.text(Repository.path(document)))
    var mentions: [Mention] = []
    var isInBlock = false
    // A command in a code block continues on the next line after a backslash.
    for line in text.replacing("\\\n", with: " ").split(separator: "\n") {
      if line.hasPrefix("```") {
        isInBlock.toggle()
      } else if isInBlock {
        // Indented lines belong to a diagram.
        var command = line.hasPrefix("$ ") ? line.dropFirst(2) : line
        if command.hasPrefix("sudo ") { command = command.dropFirst(5) }
        guard command.hasPrefix("footbridge ") else { continue }
        mentions.append(Mention(document: document, words: words(of: command), isToType: true))
      } else {
        // Every other segment of text split at backticks is code.
        for (place, part) in line.split(separator: "`", omittingEmptySubsequences: false)
          .enumerated() where place % 2 == 1
        {
          var command = part
          if command.hasPrefix("sudo ") { command = command.dropFirst(5) }
          guard command.hasPrefix("footbridge ") else { continue }
          mentions.append(Mention(document: document, words: words(of: command), isToType: false))
        }
      }
    }
    return mentions
  }

  /// Splits the text after `footbridge` into words as a shell does, up to a pipe, another command
  /// or a comment.
  private static func words(of command: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in command.dropFirst("footbridge ".count) {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == " " {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else if "|;&<>#".contains(character), word.isEmpty {
        return words
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// Returns whether a word is a placeholder: in capitals, in brackets, or with an ellipsis.
  private static func isPlaceholder(_ word: String) -> Bool {
    word.contains { "[]()…$".contains($0) } || word.hasSuffix("...")
      || word.split(separator: "=").contains { part in
        part.allSatisfy { $0.isUppercase || $0 == "-" || $0 == "_" || $0 == "." }
          && part.contains { $0.isUppercase }
      }
  }

  @Test(arguments: documents)
  func `every command and option quoted in a document exists`(_ document: String)
    async throws
  {
    for mention in try Self.mentions(in: document) {
      // `simulate` runs another command after the two hyphens.
      let words = mention.words.prefix { $0 != "--" }
      guard let verb = words.first, !Self.isPlaceholder(verb), !verb.hasPrefix("-") else {
        continue
      }
      let help = await Outcome.of(verb, "--help")
      #expect(help.status == 0, "\(mention)")
      for word in words.dropFirst() where word.hasPrefix("--") {
        let option = String(word.prefix { $0 != "=" })
        let isThere = help.output.split { !($0.isLetter || $0 == "-") }.contains { $0 == option }
        #expect(isThere, "there is no \(option): \(mention)")
      }
    }
  }

  @Test(arguments: documents)
  func `every complete command line in a document parses`(_ document: String)
    async throws
  {
    for mention in try Self.mentions(in: document)
    where mention.isToType && !mention.words.contains(where: Self.isPlaceholder) {
      let outcome = await Outcome.of(mention.words, environment: ["HOME": "/home/anna"])
      #expect(outcome.status == 0, "\(mention): \(outcome.errors)")
    }
  }

  @Test func `commands are found both in sentences and in code blocks`() throws {
    let mentions = try Self.documents.flatMap { try Self.mentions(in: $0) }
    #expect(mentions.count { $0.isToType } > 30)
    #expect(mentions.count { !$0.isToType } > 150)
  }
}
