internal import Positioning

/// A word on the command line that is not an option, and its effect.
public struct Operand<Configuration>: Sendable {
  /// What the help tells.
  public private(set) var description: OperandDescription
  /// Applies the word; false when it does not fit.
  let apply: @Sendable (inout Configuration, String) -> Bool

  /// An operand that is one of a few words and may not be left out.
  public static func word<Value>(
    _ metavariable: String, sets place: any WritableKeyPath<Configuration, Value> & Sendable
  ) -> Operand
  where Value: RawRepresentable<String> & CaseIterable & Sendable {
    let argument = Argument(metavariable, .word(Value.allCases.map(\.rawValue)))
    return Operand(description: OperandDescription(argument: argument, isOptional: false)) {
      configuration, text in
      guard let value = Value(rawValue: text) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// The same for a word that may be left out.
  public static func optionalWord<Value>(
    _ metavariable: String, sets place: any WritableKeyPath<Configuration, Value?> & Sendable
  ) -> Operand
  where Value: RawRepresentable<String> & CaseIterable & Sendable {
    let argument = Argument(metavariable, .word(Value.allCases.map(\.rawValue)))
    return Operand(description: OperandDescription(argument: argument, isOptional: true)) {
      configuration, text in
      guard let value = Value(rawValue: text) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// An operand that may be left out and goes to `place`.
  public static func optional(
    _ argument: Argument, sets place: any WritableKeyPath<Configuration, String?> & Sendable
  ) -> Operand {
    Operand(description: OperandDescription(argument: argument, isOptional: true)) {
      configuration, text in
      configuration[keyPath: place] = text
      return true
    }
  }

  /// An operand with a board, which may not be left out.
  static func board(sets place: any WritableKeyPath<Configuration, String> & Sendable) -> Operand {
    Operand(
      description: OperandDescription(argument: Argument("BOARD", .board), isOptional: false)
    ) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty
    }
  }

  /// Operands with a board each, of which there is at least one.
  static func boards(
    adds place: any WritableKeyPath<Configuration, [String]> & Sendable
  ) -> Operand {
    Operand(
      description: OperandDescription(
        argument: Argument("BOARD", .board), isOptional: false, isRepeatable: true)
    ) { configuration, text in
      configuration[keyPath: place].append(text)
      return !text.isEmpty
    }
  }

  /// An operand with a session, which may not be left out.
  static func session(
    sets place: any WritableKeyPath<Configuration, String> & Sendable
  ) -> Operand {
    Operand(
      description: OperandDescription(argument: Argument("SESSION", .session), isOptional: false)
    ) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty
    }
  }

  /// An operand with a text on one line, which may not be left out nor be empty.
  static func text(
    _ metavariable: String, sets place: any WritableKeyPath<Configuration, String> & Sendable
  ) -> Operand {
    Operand(
      description: OperandDescription(argument: Argument(metavariable, .text), isOptional: false)
    ) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty && LineOfText.isFit(text)
    }
  }

  /// Operands with a hazard each, of which there is at least one.
  static func hazards(
    adds place: any WritableKeyPath<Configuration, [HazardRequest]> & Sendable
  ) -> Operand {
    Operand(
      description: OperandDescription(
        argument: Argument("NAME=INTENSITY", .hazard), isOptional: false, isRepeatable: true)
    ) { configuration, text in
      guard let hazard = HazardRequest(text) else { return false }
      configuration[keyPath: place].append(hazard)
      return true
    }
  }

  /// An operand with a source of positions, which may be left out.
  static func positions(
    sets place: any WritableKeyPath<Configuration, PositionSource?> & Sendable
  ) -> Operand {
    Operand(
      description: OperandDescription(argument: Argument("SOURCE", .positions), isOptional: true)
    ) { configuration, text in
      configuration[keyPath: place] = PositionSource(text)
      return configuration[keyPath: place] != nil
    }
  }

  /// A program with its arguments after `--`, which may be left out. Nothing of it is read as an
  /// option of ours.
  static func commandLine(
    _ metavariable: String, excludes: [String],
    adds place: any WritableKeyPath<Configuration, [String]> & Sendable
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

  /// The same operand when it has got a word, and may do without another.
  var satisfied: Operand {
    var operand = self
    operand.description.isOptional = true
    return operand
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
