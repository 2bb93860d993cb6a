internal import Values

/// A command's option: its description and its effect on the command's configuration.
public struct Option<Configuration>: Sendable {
  let description: OptionDescription
  /// Whether the arguments after this option are ignored, as for `--help`.
  let endsParsing: Bool
  /// Applies the option's argument (empty for a flag). Returns false if the argument is invalid.
  let apply: @Sendable (inout Configuration, String) -> Bool

  private init(
    _ description: OptionDescription, endsParsing: Bool = false,
    apply: @escaping @Sendable (inout Configuration, String) -> Bool
  ) {
    self.description = description
    self.endsParsing = endsParsing
    self.apply = apply
  }
}

extension Option {
  /// The configuration property that an option sets.
  public typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  /// Returns an option without an argument that sets `place` to `value`.
  public static func flag<Value: Sendable>(
    _ name: String, short: Character? = nil, excludes: [String] = [], help: String,
    sets place: Place<Value>, to value: Value, endsParsing: Bool = false
  ) -> Option {
    let description = OptionDescription(
      name: name, short: short, argument: nil, defaultValue: nil, environmentVariable: nil,
      excludes: excludes, help: help)
    return Option(description, endsParsing: endsParsing) { configuration, _ in
      configuration[keyPath: place] = value
      return true
    }
  }

  public static func flag(_ name: String, help: String, sets place: Place<Bool>) -> Option {
    flag(name, help: help, sets: place, to: true)
  }

  /// Returns an option that has a default value.
  public static func option<Value>(
    _ name: String, _ parameter: Parameter<Value>, default initial: Value, help: String,
    sets place: Place<Value>
  ) -> Option {
    option(name, parameter, shownDefault: parameter.text(initial), help: help) {
      $0[keyPath: place] = $1
    }
  }

  /// Returns an option without a default value, or with a default that the help describes in words.
  public static func option<Value>(
    _ name: String, _ parameter: Parameter<Value>, shownDefault: String? = nil,
    environmentVariable: String? = nil, excludes: [String] = [], help: String,
    sets place: Place<Value?>
  ) -> Option {
    option(
      name, parameter, shownDefault: shownDefault, environmentVariable: environmentVariable,
      excludes: excludes, help: help
    ) { $0[keyPath: place] = $1 }
  }

  /// Returns a repeatable option, which collects values.
  public static func option<Value>(
    _ name: String, _ parameter: Parameter<Value>, excludes: [String] = [], help: String,
    adds place: Place<[Value]>
  ) -> Option {
    option(name, parameter, excludes: excludes, isRepeatable: true, help: help) {
      $0[keyPath: place].append($1)
    }
  }

  private static func option<Value>(
    _ name: String, _ parameter: Parameter<Value>, shownDefault: String? = nil,
    environmentVariable: String? = nil, excludes: [String] = [], isRepeatable: Bool = false,
    help: String, effect: @escaping @Sendable (inout Configuration, Value) -> Void
  ) -> Option {
    let description = OptionDescription(
      name: name, short: nil, argument: parameter.argument, defaultValue: shownDefault,
      environmentVariable: environmentVariable, excludes: excludes, isRepeatable: isRepeatable,
      help: help)
    return Option(description) { configuration, text in
      guard let value = parameter.value(text) else { return false }
      effect(&configuration, value)
      return true
    }
  }

  /// Returns this option for a larger configuration that contains the original configuration in the
  /// property `place`.
  public func lifted<Whole>(
    into place: any WritableKeyPath<Whole, Configuration> & Sendable
  ) -> Option<Whole> {
    Option<Whole>(description, endsParsing: endsParsing) { [apply] whole, text in
      apply(&whole[keyPath: place], text)
    }
  }
}
