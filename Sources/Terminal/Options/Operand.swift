/// An operand: a command-line word that is not an option, with its effect on the configuration.
public struct Operand<Configuration>: Sendable {
  private(set) var description: OperandDescription
  /// Applies the word. Returns false if the word is invalid.
  let apply: @Sendable (inout Configuration, String) -> Bool

  /// The configuration property that an operand sets.
  public typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  /// Returns an operand that must be given exactly once.
  public static func required<Value>(
    _ parameter: Parameter<Value>, sets place: Place<Value>
  ) -> Operand {
    operand(parameter, isOptional: false) { $0[keyPath: place] = $1 }
  }

  /// Returns an operand that must be given at least once.
  public static func required<Value>(
    _ parameter: Parameter<Value>, adds place: Place<[Value]>
  ) -> Operand {
    operand(parameter, isOptional: false, isRepeatable: true) { $0[keyPath: place].append($1) }
  }

  public static func optional<Value>(
    _ parameter: Parameter<Value>, sets place: Place<Value?>
  ) -> Operand {
    operand(parameter, isOptional: true) { $0[keyPath: place] = $1 }
  }

  /// Returns an optional operand that consists of a program and its arguments, after `--`. The
  /// program's arguments are never read as options of this command.
  public static func commandLine(
    _ metavariable: String, excludes: [String], adds place: Place<[String]>
  ) -> Operand {
    Operand(
      description: OperandDescription(
        argument: Argument(metavariable, .commandLine), isOptional: true, isRepeatable: true,
        isCommandLine: true, excludes: excludes)
    ) { configuration, text in
      // An argument can be empty, but the program's name cannot.
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

  /// A copy of this operand that can be omitted.
  public var satisfied: Operand {
    var operand = self
    operand.description.isOptional = true
    return operand
  }

  /// Returns this operand for a larger configuration that contains the original configuration in
  /// the property `place`.
  func lifted<Whole>(
    into place: any WritableKeyPath<Whole, Configuration> & Sendable
  ) -> Operand<Whole> {
    Operand<Whole>(description: description) { [apply] whole, text in
      apply(&whole[keyPath: place], text)
    }
  }
}
