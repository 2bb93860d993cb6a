/// A manual page, identified by its name and section.
public struct ManualPage: Hashable, Sendable {
  let name: String
  let section: Int

  public init(_ name: String, section: Int) {
    self.name = name
    self.section = section
  }
}

/// Formats text for `man`: roff with the macros of man(7).
public enum ManualText {
  /// Returns the beginning of a program's manual page. Lines are broken only between words, because
  /// inserted hyphens would be copied with a command.
  public static func title(_ page: ManualPage, of program: any CommandProgram.Type) -> [String] {
    [
      ".TH \(escaped(page.name.uppercased())) \(page.section) \"\(program.date)\" "
        + "\"\(escaped("\(program.name) \(program.release)"))\"",
      ".ad l", ".nh",
    ]
  }

  static func section(_ heading: String, _ lines: [String]) -> [String] {
    [".SH \(heading)"] + lines
  }

  /// Returns the NAME section of a page: its name and its purpose, which `apropos` lists.
  public static func name(_ name: String, _ purpose: String) -> [String] {
    section("NAME", ["\(escaped(name)) \\- \(escaped(purpose))"])
  }

  static func item(_ term: String, _ explanation: String) -> [String] {
    [".TP", term] + paragraph(explanation)
  }

  /// Returns several paragraphs, each starting on a new line.
  static func paragraphs(_ texts: [String]) -> [String] {
    Array(texts.map(paragraph).joined(separator: [".PP"]))
  }

  /// Returns text as a paragraph. The source lines are as wide as the lines of the help.
  public static func paragraph(_ text: String) -> [String] {
    HelpText.wrapped(text).map(escaped)
  }

  /// Returns lines that `man` must print unchanged.
  public static func verbatim(_ lines: [String]) -> [String] {
    [".nf"] + lines.map(escaped) + [".fi"]
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

  /// Returns text in italics, for a word that the reader must fill in.
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  static func reference(_ page: ManualPage) -> String { bold(page.name) + "(\(page.section))" }

  public static func references(_ pages: [ManualPage]) -> String {
    pages.map(reference).joined(separator: ", ")
  }

  /// Escapes text so that roff prints it literally and it can be copied from the page. Without
  /// these escapes, roff would print typographic hyphens, quotes and accents.
  public static func escaped(_ text: String) -> String {
    var line = ""
    for character in text {
      switch character {
      case "\\": line += "\\e"
      case "-": line += "\\-"
      case "'": line += "\\(aq"
      case "`": line += "\\(ga"
      case "^": line += "\\(ha"
      case "~": line += "\\(ti"
      default: line.append(character)
      }
    }
    return line.hasPrefix(".") ? "\\&" + line : line
  }
}
