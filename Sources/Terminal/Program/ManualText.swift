/// A page of the manual, with its name and section.
public struct ManualPage: Hashable, Sendable {
  let name: String
  let section: Int

  public init(_ name: String, section: Int) {
    self.name = name
    self.section = section
  }
}

/// Text for `man`: roff with the macros of man(7).
public enum ManualText {
  /// The beginning of a page that comes with a program. Lines break between words, without hyphens
  /// that would be copied with a command.
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

  /// The name of a page and its purpose; `apropos` lists them.
  public static func name(_ name: String, _ purpose: String) -> [String] {
    section("NAME", ["\(escaped(name)) \\- \(escaped(purpose))"])
  }

  /// A term in roff, with its explanation below it.
  static func item(_ term: String, _ explanation: String) -> [String] {
    [".TP", term] + paragraph(explanation)
  }

  /// Several paragraphs, each on its own lines.
  static func paragraphs(_ texts: [String]) -> [String] {
    Array(texts.map(paragraph).joined(separator: [".PP"]))
  }

  /// A text on lines as wide as a help text.
  public static func paragraph(_ text: String) -> [String] {
    HelpText.wrapped(text).map(escaped)
  }

  /// Lines without filling.
  public static func verbatim(_ lines: [String]) -> [String] {
    [".nf"] + lines.map(escaped) + [".fi"]
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

  /// A text in italics, for a word to be filled in.
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// The name of another page.
  static func reference(_ page: ManualPage) -> String { bold(page.name) + "(\(page.section))" }

  /// The names of other pages.
  public static func references(_ pages: [ManualPage]) -> String {
    pages.map(reference).joined(separator: ", ")
  }

  /// A text without roff commands, which can be copied from the page: without these names, roff
  /// sets typographic hyphens, quotes and accents.
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
