internal import Values

/// One event as `key=value` pairs, which people and the journal's filters read alike.
enum LogLine {
  /// The details in the order given, after level and event.
  static func text(_ remark: LogEvent) -> String {
    ([("level", remark.severity.rawValue), ("event", remark.event)]
      + remark.details.map { ($0.name, $0.value) })
      .map { "\($0)=\(quoted($1))" }.joined(separator: " ")
  }

  /// The value, in quotes where it could be taken for more than one.
  private static func quoted(_ value: String) -> String {
    let isPlain = value.unicodeScalars.allSatisfy { scalar in
      !scalar.properties.isWhitespace && !TerminalText.isControl(scalar)
        && scalar != "\"" && scalar != "=" && scalar != "\\"
    }
    if isPlain, !value.isEmpty { return value }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case "\n": text += "\\n"
      case _ where TerminalText.isControl(scalar):
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
