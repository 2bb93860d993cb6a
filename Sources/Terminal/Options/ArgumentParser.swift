/// Parses command-line arguments into a configuration, according to a list of options and operands.
///
/// `--name value` and `--name=value` are equivalent, and `--` ends the options. An option can be
/// given only once unless it is repeatable. Options can appear before and after operands. The words
/// after `--` are operands too. If one of the operands is a command line, they belong to it
/// instead.
struct ArgumentParser<Configuration> {
  /// The command as typed, such as `footbridge demo`. Errors refer to its help.
  let command: String
  let options: [Option<Configuration>]
  let operands: [Operand<Configuration>]

  init(
    command: String, options: [Option<Configuration>], operands: [Operand<Configuration>] = []
  ) {
    self.command = command
    self.options = options
    self.operands = operands
  }

  func parse(
    _ arguments: [String], into configuration: inout Configuration
  ) throws(Complaint) {
    var rest = arguments[...]
    var given: Set<String> = []
    var lines = self.operands.filter(\.description.isCommandLine)[...]
    var operands = self.operands.filter { !$0.description.isCommandLine }[...]
    while true {
      guard try parseOptions(&rest, into: &configuration, given: &given) else { return }
      guard let word = rest.popFirst() else { break }
      if word == "--" {
        if let line = lines.first?.description {
          try check(line, of: rest, beside: given)
          for word in rest { try apply(word, to: &lines, of: &configuration) }
        } else {
          for word in rest { try apply(word, to: &operands, of: &configuration) }
        }
        break
      }
      try apply(word, to: &operands, of: &configuration)
    }
    for missing in [operands.first, lines.first].compactMap(\.self)
    where !missing.description.isOptional {
      let argument = missing.description.argument
      throw usage("'\(argument.metavariable)' is missing", argument.advice)
    }
  }

  /// Checks that at least one word follows `--`, and that the words can be combined with the given
  /// options.
  private func check(
    _ line: OperandDescription, of words: ArraySlice<String>, beside given: Set<String>
  ) throws(Complaint) {
    let argument = line.argument
    guard !words.isEmpty else {
      throw usage("'\(argument.metavariable)' is missing after '--'", argument.advice)
    }
    if let other = line.excludes.first(where: given.contains) {
      throw usage(
        "'--\(other)' and '-- \(argument.metavariable)' cannot be used together",
        "use only one of them")
    }
  }

  /// Applies options until the first argument that is not an option (an operand or `--`), which is
  /// not consumed.
  ///
  /// Returns `false` if an option makes the remaining arguments irrelevant.
  func parseOptions(
    _ rest: inout ArraySlice<String>, into configuration: inout Configuration,
    given: inout Set<String>
  ) throws(Complaint) -> Bool {
    while let word = rest.first, word != "--", word.hasPrefix("-"), word != "-" {
      rest.removeFirst()
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = try find(String(parts[0]))
      let description = option.description
      guard given.insert(description.name).inserted || description.isRepeatable else {
        throw usage("'\(description.spelling)' is given twice", "give it once")
      }
      if let other = excluded(by: description).first(where: given.contains) {
        throw usage(
          "'--\(other)' and '\(description.spelling)' cannot be used together",
          "use only one of them")
      }
      let value = try value(of: description, attached: parts.dropFirst().first, from: &rest)
      guard option.apply(&configuration, value) else {
        guard let argument = description.argument else {
          preconditionFailure("a flag has no argument to reject")
        }
        throw usage(
          argument.refusal(of: value, asOption: description.spelling), argument.advice)
      }
      if option.endsParsing { return false }
    }
    return true
  }

  /// Returns the names of the options that exclude this one, or are excluded by it.
  private func excluded(by option: OptionDescription) -> [String] {
    option.excludes
      + options.map(\.description).filter { $0.excludes.contains(option.name) }.map(\.name)
  }

  private func value(
    of option: OptionDescription, attached: Substring?, from rest: inout ArraySlice<String>
  ) throws(Complaint) -> String {
    guard option.argument != nil else {
      if let attached {
        throw usage("'\(option.spelling)' takes no value", "leave out '=\(attached)'")
      }
      return ""
    }
    if let attached { return String(attached) }
    // If the user forgot a value, the next option must not be mistaken for the value. Numbers may
    // be negative.
    guard let next = rest.first, next == "-" || !next.hasPrefix("-") || Double(next) != nil else {
      throw usage("'\(option.spelling)' needs a value", remedy(for: option, before: rest.first))
    }
    rest.removeFirst()
    return next
  }

  /// Returns advice for a missing value. A value that begins with a hyphen needs an equals sign.
  private func remedy(for option: OptionDescription, before next: String?) -> String {
    guard let next, next != "--", (try? find(String(next.prefix { $0 != "=" }))) == nil else {
      return "use '\(option.usage)'"
    }
    return "use '\(option.spelling)=\(TerminalText.quotation(next))' if '"
      + "\(TerminalText.quotation(next))' is the value"
  }

  private func find(_ spelling: String) throws(Complaint) -> Option<Configuration> {
    let isLong = spelling.hasPrefix("--")
    for option in options {
      if isLong ? spelling == option.description.spelling : matchesShort(option, spelling) {
        return option
      }
    }
    let name = String(spelling.drop { $0 == "-" })
    let near = Suggestion.nearest(to: name, among: options.map(\.description.name))
    throw usage(
      "unknown option '\(TerminalText.quotation(spelling))'",
      near.map { "did you mean '--\($0)'?" })
  }

  /// A description of the operands and options that the command accepts, for an error.
  private var taken: String {
    let names = operands.map(\.description.argument.metavariable).joined(separator: " ")
    return names.isEmpty
      ? "'\(command)' takes options only" : "'\(command)' takes \(names) and options"
  }

  /// Advice to use quotes, in case the surplus words were meant to be part of the last operand.
  private var quotesAdvice: String {
    guard let last = operands.last?.description.argument, last.kind == .text else { return "" }
    return "; put a \(last.metavariable) of several words in quotes"
  }

  private func matchesShort(_ option: Option<Configuration>, _ spelling: String) -> Bool {
    option.description.short.map { "-\($0)" == spelling } ?? false
  }

  private func apply(
    _ word: String, to operands: inout ArraySlice<Operand<Configuration>>,
    of configuration: inout Configuration
  ) throws(Complaint) {
    guard let operand = operands.popFirst() else {
      let line = self.operands.map(\.description).first(where: \.isCommandLine)
      throw usage(
        "unexpected argument '\(TerminalText.quotation(word))'",
        line.map { "put '--' before a \($0.argument.metavariable)" } ?? taken + quotesAdvice)
    }
    guard operand.apply(&configuration, word) else {
      throw usage(
        operand.description.argument.refusal(of: word), operand.description.argument.advice)
    }
    // The operand accepts additional words, but no longer requires one.
    if operand.description.isRepeatable { operands = [operand.satisfied] }
  }

  private func usage(_ message: String, _ remedy: String? = nil) -> Complaint {
    .usage(message, remedy: remedy, command: command)
  }
}
