internal import Terminal

/// The manual page footbridge.conf(5), for `man`.
enum ConfigurationManual {
  static let page = ManualPage(name, section: 5)
  private static let name = "footbridge.conf"

  /// The page in roff format, with the macros of man(7).
  static let text: String = {
    var lines = ManualText.title(page, of: Commands.self)
    lines += ManualText.name(name, "configuration of 'footbridge run'")
    lines += [".SH DESCRIPTION"]
    lines += ManualText.paragraph(
      "\(ConfigurationLocation.standard) controls what 'footbridge run' records, stores and sends. "
        + "Name another file with --config FILE or in the environment variable "
        + "\(ConfigurationLocation.variable).")
    lines += [".PP"]
    lines += ManualText.paragraph(
      "The file consists of sections. Each begins with a heading in brackets, followed by "
        + "lines of the form KEY = VALUE. A value must fit on one line, without quotes. "
        + "Lines begin in the first column. The file is UTF-8 text of at most "
        + "\(ConfigurationParser.mostBytes / 1_024) KiB. A line that begins with "
        + "';' or '#' is a comment, and so is the rest of a line after ' ;'. A key that is not "
        + "set keeps its default. Unknown sections and keys are faults.")
    lines += [".PP"]
    lines += ManualText.paragraph(
      "'footbridge config check' reports all faults. 'footbridge config explain' shows every "
        + "key with its value and its source. 'footbridge config example' prints a "
        + "file to start from.")
    lines += [".SH SECTIONS AND KEYS"]
    for section in ConfigurationSection.allCases {
      lines += [".SS \(ManualText.escaped(section.heading))"] + ManualText.paragraph(section.text)
      for key in GatewayConfiguration.descriptions where key.section == section {
        lines += [
          ".TP",
          "\\fB\(ManualText.escaped(key.name))\\fR = \\fI\(ManualText.escaped(shown(key.argument)))\\fR",
        ]
        lines += ManualText.paragraph(key.sentences)
      }
    }
    lines += [".SH FILES", ".TP", ManualText.escaped(ConfigurationLocation.standard)]
    lines += ManualText.paragraph("the configuration of the service")
    lines += [".TP", ManualText.escaped(ConfigurationLocation.standard + ".1, .2, .3")]
    lines += ManualText.paragraph(
      "earlier versions that 'footbridge config' replaced, the newest first")
    lines += [".SH EXAMPLE"] + ManualText.verbatim(example)
    lines += [".SH SEE ALSO"]
    lines += [
      ManualText.references(
        ["footbridge", "footbridge-config", "footbridge-run"].map { ManualPage($0, section: 1) })
    ]
    return lines.joined(separator: "\n")
  }()

  /// A short file that is valid without changes.
  static let example = [
    "[board left]", "address = C8:4B:AA:97:50:05", "placement = left ankle", "", "[receiver]",
    "gps = /dev/gps0", "", "[recording]", "when = command", "participant = P07", "", "[upload]",
    "destination = home",
  ]

  private static func shown(_ argument: Argument) -> String {
    guard case .word(let words) = argument.kind else { return argument.metavariable }
    return words.joined(separator: "|")
  }

}
