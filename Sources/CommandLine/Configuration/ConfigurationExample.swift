internal import Terminal

/// An example file that explains every key. Each key is commented out with a semicolon.
enum ConfigurationExample {
  static let text: String = {
    let sections = ConfigurationSection.allCases.map { section in
      heading(section)
        + GatewayConfiguration.descriptions.filter { $0.section == section }.flatMap(lines)
    }
    return ([introduction] + sections).map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }()

  private static let introduction =
    commented(
      "The configuration of 'footbridge run'. Remove the ';' before a key to set a value; "
        + "a key that is not set keeps its default. A value must fit on one line, and a comment may "
        + "follow it after ' ;'. Lines that begin with ';' or '#' are comments.")
    + ["#"]
    + commented(
      "'footbridge config check' finds all faults, and 'footbridge config explain' shows the "
        + "current values.")

  private static func heading(_ section: ConfigurationSection) -> [String] {
    commented(section.text)
      + [section.isNamed ? ";[\(section.rawValue) left]" : section.heading]
  }

  private static func lines(_ key: ConfigurationKeyDescription) -> [String] {
    let values = key.defaults.isEmpty ? key.examples : key.defaults
    return [""] + commented(key.sentences)
      + values.map { ";" + key.line($0) }
  }

  /// Formats text as comment lines that are narrow enough for a terminal.
  private static func commented(_ text: String) -> [String] {
    HelpText.filled(HelpText.words(text), first: "#", indent: 2).map { line in
      line.hasPrefix("#") ? line : "#" + line.dropFirst()
    }
  }
}
