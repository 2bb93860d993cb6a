internal import Values

/// Formats the help, which is generated from the same lists that the parser reads.
public enum HelpText {
  /// The width of all help text in columns. It does not depend on the terminal, so that the help
  /// looks the same everywhere.
  public static let width = 80

  /// The placeholders that follow the program's name in a usage line.
  static let operands = "[options] COMMAND [command options]"

  /// Returns the text of `footbridge --help`.
  static func overview(of program: any CommandProgram.Type) -> String {
    sections([
      ["\(program.name) \(program.release)", program.introduction].flatMap(wrapped),
      ["usage: \(program.name) \(operands)"],
      ["commands:"]
        + definitions(program.all.filter(\.isListed).map { ("  \($0.name)", words($0.summary)) }),
      ["options:"] + options(ProgramConfiguration.options.map(\.description)),
      ["exit status:"]
        + definitions(
          program.statuses.map { status in
            let number = "\(status.rawValue)"
            return (String(repeating: " ", count: 5 - number.count) + number, words(status.meaning))
          }),
      ["'\(program.name) COMMAND --help' explains a command."],
    ])
  }

  /// Returns the text of `footbridge COMMAND --help`.
  static func command(_ command: Command) -> String {
    let discussion = command.discussion.split(at: "\n\n").map { paragraph(String($0)) }
    let common = CommonConfiguration.options.map(\.description)
    // An executable with only one verb has no other commands.
    let isAlone = command.call == command.name
    let own = command.options + (isAlone ? common : [])
    return sections(
      [usage(of: command)] + discussion
        + (own.isEmpty ? [] : [["options:"] + options(own)])
        + (isAlone ? [] : [["options for all commands:"] + options(common)]))
  }

  private static func usage(of command: Command) -> [String] {
    let head = "usage: \(command.call)"
    return filled(usageParts(of: command), first: head, indent: head.count + 1)
  }

  /// Returns the options and operands of a command for its usage line. Lines must not be broken at
  /// spaces inside brackets.
  static func usageParts(of command: Command) -> [String] {
    command.options.map { "[\($0.usage)]" + ($0.isRepeatable ? "..." : "") }
      + command.operands.map(\.usage)
  }

  private static func options(_ options: [OptionDescription]) -> [String] {
    definitions(
      options.map { option in
        let short = option.short.map { "  -\($0), " } ?? "      "
        return (short + option.usage, words(option.help) + notes(option))
      })
  }

  /// Returns the notes on an option's default and its environment variable. Neither note must be
  /// broken across lines.
  static func notes(_ option: OptionDescription) -> [String] {
    let notes = [
      option.defaultValue.map { "default: " + $0 },
      option.environmentVariable.map { "environment: " + $0 },
    ].compactMap(\.self)
    return notes.enumerated().map { index, note in
      (index == 0 ? "(" : "") + note + (index == notes.count - 1 ? ")" : ";")
    }
  }

  /// Lays out terms on the left, with their explanations in a column on the right.
  private static func definitions(_ pairs: [(term: String, words: [String])]) -> [String] {
    // The explanations need a column at least as wide as their longest unbreakable word.
    let longest = pairs.flatMap(\.words).map(\.count).max() ?? 0
    let indent = min((pairs.map(\.term.count).max() ?? 0) + 2, max(20, width - longest))
    return pairs.flatMap { pair in
      // A term that is too long for its column gets its own line.
      guard pair.term.count + 2 <= indent else {
        let blanks = String(repeating: " ", count: indent - 1)
        return [pair.term] + filled(pair.words, first: blanks, indent: indent)
      }
      let padding = String(repeating: " ", count: indent - 1 - pair.term.count)
      return filled(pair.words, first: pair.term + padding, indent: indent)
    }
  }

  public static func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  /// Wraps a paragraph. An example's command stays on one line if it fits; otherwise its lines can
  /// still be pasted into a shell.
  private static func paragraph(_ text: String) -> [String] {
    let head = "Example: "
    guard text.hasPrefix(head), text.count > width else { return wrapped(text) }
    // A line break before an option never splits quoted text.
    let parts = text.dropFirst(head.count).split(at: " --").enumerated().map {
      ($0.offset > 0 ? "--" : "  ") + $0.element
    }
    let lines = filled(parts.dropFirst(), first: parts.first ?? "", indent: 4, width: width - 2)
    return ["Example:"] + lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
  }

  /// Wraps text into lines of at most `width` columns.
  public static func wrapped(_ text: String) -> [String] {
    let words = words(text)
    return filled(words.dropFirst(), first: words.first ?? "", indent: 0)
  }

  /// Wraps words into lines of at most `width` columns. The first line begins with `first`, and the
  /// following lines are indented by `indent` columns.
  public static func filled(
    _ words: some Sequence<String>, first: String, indent: Int, width: Int = width
  ) -> [String] {
    var lines = [first]
    for word in words {
      let last = lines.count - 1
      if lines[last].count + 1 + word.count <= width {
        lines[last] += " " + word
      } else {
        lines.append(String(repeating: " ", count: indent) + word)
      }
    }
    return lines
  }

  private static func sections(_ sections: [[String]]) -> String {
    sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }
}
