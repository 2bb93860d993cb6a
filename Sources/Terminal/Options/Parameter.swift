public import Values

/// An argument with the conversion of its text: the basis of options and operands.
public struct Parameter<Value: Sendable>: Sendable {
  /// Its metavariable and kind, for help, errors and completion.
  public let argument: Argument
  /// The value of a text; `nil` for an invalid one.
  public let value: @Sendable (String) -> Value?
  /// A default as the help shows it.
  public let text: @Sendable (Value) -> String

  /// A parameter shown as `metavariable`.
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
  /// A whole number in `range`.
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
  /// A quantity in whole units within `range`.
  public static func wholeNumber(
    _ metavariable: String, in range: ClosedRange<Int>, of unit: Double = 1
  ) -> Parameter {
    let whole = Parameter<Int>.wholeNumber(metavariable, in: range)
    return Parameter(metavariable, whole.argument.kind, text: { whole.text(Int($0 / unit)) }) {
      whole.value($0).map { Double($0) * unit }
    }
  }

  /// A decimal number above `low` and up to `high`.
  public static func number(_ metavariable: String, above low: Double, upTo high: Double)
    -> Parameter
  {
    Parameter(metavariable, .number(above: low, upTo: high), text: { NumberText.plain($0) }) {
      text in
      // `Double` also reads hexadecimal, `inf` and `nan`, which people do not type for a quantity.
      guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(text)
      else { return nil }
      return value > low && value <= high ? value : nil
    }
  }

  /// A length of time: seconds, or as views show it (`1:30`).
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
  /// One of a few words; for many words, the help shows a metavariable instead.
  public static func word(_ metavariable: String? = nil) -> Parameter {
    let words = Value.allCases.map(\.rawValue)
    return Parameter(
      metavariable ?? words.joined(separator: "|"), .word(words), text: { $0.rawValue }
    ) { Value(rawValue: $0) }
  }
}

extension Parameter where Value == String {
  /// A text that the command itself checks.
  public static func unchecked(_ metavariable: String, _ kind: Argument.Kind) -> Parameter {
    Parameter(metavariable, kind) { $0 }
  }

  /// A text that may not be empty, and that the command itself checks.
  public static func filled(_ metavariable: String, _ kind: Argument.Kind) -> Parameter {
    Parameter(metavariable, kind) { $0.isEmpty ? nil : $0 }
  }

  /// The path of a file.
  public static func file(_ metavariable: String) -> Parameter { filled(metavariable, .file) }

  /// The path of a folder.
  public static func folder(_ metavariable: String) -> Parameter { filled(metavariable, .folder) }

  /// The absolute path of a file.
  public static func absolutePath(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .absolutePath) { $0.hasPrefix("/") && !$0.hasSuffix("/") ? $0 : nil }
  }

  /// The absolute path of a socket; the kernel limits its length.
  public static func socketPath(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .socketPath) {
      $0.hasPrefix("/") && !$0.hasSuffix("/") && $0.utf8.count <= 107 ? $0 : nil
    }
  }

  /// A text on one line, which may be empty.
  public static func text(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .text) { LineOfText.isFit($0) ? $0 : nil }
  }

  /// A text on one line, which may not be empty.
  public static func filledText(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .text) { !$0.isEmpty && LineOfText.isFit($0) ? $0 : nil }
  }
}

extension Parameter where Value == UTCTime {
  /// A day, which begins at midnight in universal time, or a moment.
  public static var date: Parameter {
    Parameter("DATE", .date) { UTCTime(iso8601: $0) ?? UTCTime(iso8601: $0 + "T00:00Z") }
  }
}
