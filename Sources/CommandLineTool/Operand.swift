/// A word on the command line that is not an option, and its effect.
public struct Operand<Configuration>: Sendable {
  /// What the help tells.
  public let description: OperandDescription
  /// Applies the word.
  let apply: @Sendable (inout Configuration, String) -> Void

  /// An operand that may be left out and goes to `place`.
  public static func optional(
    _ argument: Argument, sets place: any WritableKeyPath<Configuration, String?> & Sendable
  ) -> Operand {
    Operand(description: OperandDescription(argument: argument, isOptional: true)) {
      configuration, text in
      configuration[keyPath: place] = text
    }
  }

  /// The same operand for a larger configuration, which holds this one at `place`.
  func lifted<Whole>(
    into place: any WritableKeyPath<Whole, Configuration> & Sendable
  ) -> Operand<Whole> {
    Operand<Whole>(description: description) { [apply] whole, text in
      apply(&whole[keyPath: place], text)
    }
  }
}
