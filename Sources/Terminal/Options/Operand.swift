/// A word on the command line that is not an option, and its effect.
public struct Operand<Configuration>: Sendable {
  /// Its entry in help, manual page and completion.
  private(set) var description: OperandDescription
  /// Applies the word; false when it does not fit.
  let apply: @Sendable (inout Configuration, String) -> Bool

  /// A place in a configuration that an operand sets.
  public typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  /// An operand that may not be left out.
  public static func required<Value>(
    _ parameter: Parameter<Value>, sets place: Place<Value>
  ) -> Operand {
    operand(parameter, isOptional: false) { $0[keyPath: place] = $1 }
  }

  /// Operands, at least one of them.
  public static func required<Value>(
    _ parameter: Parameter<Value>, adds place: Place<[Value]>
  ) -> Operand {
    operand(parameter, isOptional: false, isRepeatable: true) { $0[keyPath: place].append($1) }
  }

  /// An operand that may be left out.
  public static func optional<Value>(
    _ parameter: Parameter<Value>, sets place: Place<Value?>
  ) -> Operand {
    operand(parameter, isOptional: true) { $0[keyPath: place] = $1 }
  }

  /// A program with its arguments after `--`, which may be left out. Its arguments are never read
  /// as our options.
  public static func commandLine(
    _ metavariable: String, excludes: [String], adds place: Place<[String]>
  ) -> Operand {
    Operand(
      description: OperandDescription(
        argument: Argument(metavariable, .commandLine), isOptional: true, isRepeatable: true,
        isCommandLine: true, excludes: excludes)
    ) { configuration, text in
      // Arguments may be empty, the program may not.
      let isProgram = configuration[keyPath: place].isEmpty
      configuration[keyPath: place].append(text)
      return !isProgram || !text.isEmpty
    }
  }

  private static func operand<Value>(
    _ parameter: Parameter<Value>, isOptional: Bool, isRepeatable: Bool = false,
    effect: @escaping @Sendable (inout Configuration, Value) -> Void
  ) -> Operand {
    Operand(
      description: OperandDescription(
        argument: parameter.argument, isOptional: isOptional, isRepeatable: isRepeatable)
    ) { configuration, text in
      guard let value = parameter.value(text) else { return false }
      effect(&configuration, value)
      return true
    }
  }

  /// The same operand, no longer required.
  public var satisfied: Operand {
    var operand = self
    operand.description.isOptional = true
    return operand
  }

  /// The same operand for a larger configuration, which contains this one at `place`.
  func lifted<Whole>(
    into place: any WritableKeyPath<Whole, Configuration> & Sendable
  ) -> Operand<Whole> {
    Operand<Whole>(description: description) { [apply] whole, text in
      apply(&whole[keyPath: place], text)
    }
  }
}
