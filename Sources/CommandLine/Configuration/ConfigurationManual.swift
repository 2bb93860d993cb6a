/// The manual page footbridge.conf(5), for `man`.
enum ConfigurationManual {
  /// The page in roff, with the macros of man(7).
  static let text: String = {
    var lines = [
      ".TH FOOTBRIDGE.CONF 5 \"\" \"\(escaped(Version.text))\" \"Footbridge\"",
      ".SH NAME", "footbridge.conf \\- configuration of \\(aqfootbridge run\\(aq",
      ".SH DESCRIPTION",
    ]
    lines += paragraph(
      "\(ConfigurationLocation.standard) says what 'footbridge run' records, keeps and sends. "
        + "Another file is named with --config FILE or in the variable "
        + "\(ConfigurationLocation.variable).")
    lines += [".PP"]
    lines += paragraph(
      "The file has sections, which begin with a heading in brackets, and below each heading "
        + "lines of a key, an equals sign and a value. A value has one line, without quotes. "
        + "Lines begin in the first column and have at most \(INILine.longest) bytes; the file has "
        + "at most \(ConfigurationParser.mostBytes / 1_024) KiB, in UTF-8. A line that begins with "
        + "';' or '#' is a comment, and so is what follows ' ;' after a value. A key without a line "
        + "has its default. Unknown sections and keys are faults.")
    lines += [".PP"]
    lines += paragraph(
      "'footbridge config check' tells all faults at once. 'footbridge config explain' shows every "
        + "key with its value and where that comes from. 'footbridge config example' prints a "
        + "file to begin with.")
    lines += [".SH SECTIONS AND KEYS"]
    for section in ConfigurationSection.allCases {
      lines += [".SS \(escaped(section.heading))"] + paragraph(section.text)
      for key in GatewayConfiguration.descriptions where key.section == section {
        lines += [".TP", "\\fB\(escaped(key.name))\\fR = \\fI\(escaped(shown(key.argument)))\\fR"]
        lines += paragraph(key.sentences)
      }
    }
    lines += [".SH FILES", ".TP", escaped(ConfigurationLocation.standard)]
    lines += paragraph("the file of the service")
    lines += [".TP", escaped(ConfigurationLocation.standard + ".1, .2, .3")]
    lines += paragraph("what 'footbridge config' replaced, the newest first")
    lines += [".SH EXAMPLE", ".nf"]
    lines += example.map(escaped)
    lines += [".fi", ".SH SEE ALSO", escaped("'footbridge config --help'")]
    return lines.joined(separator: "\n")
  }()

  /// A short file that is fit for use.
  static let example = [
    "[board left]", "address = C8:4B:AA:97:50:05", "placement = left ankle", "", "[receiver]",
    "gps = /dev/gps0", "", "[recording]", "when = command", "wearer = P07", "", "[upload]",
    "destination = home",
  ]

  private static func shown(_ argument: Argument) -> String {
    guard case .word(let words) = argument.kind else { return argument.metavariable }
    return words.joined(separator: "|")
  }

  private static func paragraph(_ text: String) -> [String] {
    HelpText.wrapped(text).map(escaped)
  }

  /// A text in which roff finds no command.
  private static func escaped(_ text: String) -> String {
    var line = ""
    for character in text {
      switch character {
      case "\\": line += "\\e"
      case "-": line += "\\-"
      case "'": line += "\\(aq"
      default: line.append(character)
      }
    }
    return line.hasPrefix(".") ? "\\&" + line : line
  }
}
