internal import Values

/// Formats an event as `key=value` pairs, for people and for journal filters.
enum LogLine {
  /// Returns the level and the event, followed by the details in their original order.
  static func text(_ remark: LogEvent) -> String {
    ([("level", remark.severity.rawValue), ("event", remark.event)]
      + remark.details.map { ($0.name, $0.value) })
      .map { "\($0)=\(quoted($1))" }.joined(separator: " ")
  }

  /// Wraps a log line for a terminal. Continuation lines begin with spaces. A detail is never
  /// split, so that a path can be copied.
  static func fitted(_ line: String, within width: Int) -> String {
    guard width >= 20, TerminalText.width(of: line) > width else { return line }
    var details = [""]
    var (isQuoted, isEscaped) = (false, false)
    for character in line {
      if character == " ", !isQuoted {
        details.append("")
      } else {
        details[details.count - 1].append(character)
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && !isEscaped
    }
    return TerminalText.wrapped(details, to: width - 2, between: " ").joined(separator: "\n  ")
  }

  /// Returns the value, in quotes if it would otherwise be ambiguous. A backslash before a single
  /// quote is not an escape: a command with `'it'\''s'` appears exactly as it must be typed.
  private static func quoted(_ value: String) -> String {
    let isPlain = value.unicodeScalars.allSatisfy { scalar in
      !scalar.properties.isWhitespace && !TerminalText.isControl(scalar)
        && scalar != "\"" && scalar != "=" && scalar != "\\"
    }
    if isPlain, !value.isEmpty { return value }
    var text = "\""
    let scalars = value.unicodeScalars
    for (place, scalar) in zip(scalars.indices, scalars) {
      switch scalar {
      case "\\" where scalars[place...].dropFirst().first == "'": text += "\\"
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
