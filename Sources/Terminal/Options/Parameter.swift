public import Values

/// An argument and the conversion of its text to a value. Options and operands are built on this
/// type.
public struct Parameter<Value: Sendable>: Sendable {
  public let argument: Argument
  /// Converts a string to a value. Returns `nil` if the string is invalid.
  public let value: @Sendable (String) -> Value?
  /// Formats a default value for the help.
  public let text: @Sendable (Value) -> String

  public init(
    _ metavariable: String, _ kind: Argument.Kind,
    text: @escaping @Sendable (Value) -> String = { "\($0)" },
    value: @escaping @Sendable (String) -> Value?
  ) {
    argument = Argument(metavariable, kind)
    self.value = value
    self.text = text
  }
}

extension Parameter where Value: FixedWidthInteger {
  public static func wholeNumber(_ metavariable: String, in range: ClosedRange<Value>) -> Parameter
  {
    let kind = Argument.Kind.wholeNumber(
      from: UInt64(range.lowerBound), through: UInt64(range.upperBound))
    return Parameter(metavariable, kind) { text in
      Value(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Parameter where Value == Double {
  /// Returns a parameter for a whole number in `range`, which is multiplied by `unit`.
  public static func wholeNumber(
    _ metavariable: String, in range: ClosedRange<Int>, of unit: Double = 1
  ) -> Parameter {
    let whole = Parameter<Int>.wholeNumber(metavariable, in: range)
    return Parameter(metavariable, whole.argument.kind, text: { whole.text(Int($0 / unit)) }) {
      whole.value($0).map { Double($0) * unit }
    }
  }

  public static func number(_ metavariable: String, above low: Double, upTo high: Double)
    -> Parameter
  {
    Parameter(metavariable, .number(above: low, upTo: high), text: { NumberText.plain($0) }) {
      text in
      // `Double` also accepts hexadecimal numbers, `inf` and `nan`, which nobody types for a
      // quantity.
      guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(text)
      else { return nil }
      return value > low && value <= high ? value : nil
    }
  }

  /// Returns a parameter for a duration, given in seconds or in the form shown in views (`1:30`).
  public static func seconds(upTo high: Double) -> Parameter {
    let number = number("N", above: 0, upTo: high)
    return Parameter("N", .seconds(upTo: high), text: number.text) { text in
      if let value = number.value(text) { return value }
      guard let value = DurationText.seconds(ofClock: text) else { return nil }
      return value > 0 && value <= high ? value : nil
    }
  }
}

extension Parameter where Value: RawRepresentable<String> & CaseIterable {
  /// Returns a parameter for one of a few words. The help shows `metavariable`, or all the words
  /// if it is `nil`.
  public static func word(_ metavariable: String? = nil) -> Parameter {
    let words = Value.allCases.map(\.rawValue)
    return Parameter(
      metavariable ?? words.joined(separator: "|"), .word(words), text: { $0.rawValue }
    ) { Value(rawValue: $0) }
  }
}

extension Parameter where Value == String {
  /// Returns a parameter for a string that the command itself checks.
  public static func unchecked(_ metavariable: String, _ kind: Argument.Kind) -> Parameter {
    Parameter(metavariable, kind) { $0 }
  }

  /// Returns a parameter for a non-empty string that the command itself checks.
  public static func filled(_ metavariable: String, _ kind: Argument.Kind) -> Parameter {
    Parameter(metavariable, kind) { $0.isEmpty ? nil : $0 }
  }

  public static func file(_ metavariable: String) -> Parameter { filled(metavariable, .file) }

  public static func folder(_ metavariable: String) -> Parameter { filled(metavariable, .folder) }

  public static func absolutePath(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .absolutePath) { $0.hasPrefix("/") && !$0.hasSuffix("/") ? $0 : nil }
  }

  /// Returns a parameter for the absolute path of a socket. The kernel limits the length of such
  /// paths.
  public static func socketPath(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .socketPath) {
      $0.hasPrefix("/") && !$0.hasSuffix("/") && $0.utf8.count <= 107 ? $0 : nil
    }
  }

  /// Returns a parameter for a single line of text, which may be empty.
  public static func text(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .text) { LineOfText.isFit($0) ? $0 : nil }
  }

  /// Returns a parameter for a single line of text, which must not be empty.
  public static func filledText(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .text) { !$0.isEmpty && LineOfText.isFit($0) ? $0 : nil }
  }
}

extension Parameter where Value == UTCTime {
  /// A parameter for an instant, or for a date, which is read as midnight UTC.
  public static var date: Parameter {
    Parameter("DATE", .date) { UTCTime(iso8601: $0) ?? UTCTime(iso8601: $0 + "T00:00Z") }
  }
}
