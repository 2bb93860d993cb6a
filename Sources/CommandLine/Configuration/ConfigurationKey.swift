internal import Terminal

/// Everything about a key except its effect: the parser, the explanations, the example file and the
/// manual page all speak from it.
struct ConfigurationKeyDescription: Hashable, Sendable {
  /// The section it stands in.
  let section: ConfigurationSection
  /// Its name, which is that of the option on the command line where there is one.
  let name: String
  /// The metavariable and the kind of its value.
  let argument: Argument
  /// The unit of its value, in the plural; `nil` where it has none.
  let unit: String?
  /// The values that hold without it, as they would be written; none where there is none.
  var defaults: [String] = []
  /// Its default in words, where `defaults` do not tell it.
  var defaultInWords: String?
  /// Whether the section has to have it.
  var isRequired = false
  /// Whether it may be given for each of several values.
  var isRepeatable = false
  /// Whether an empty value means that there is none.
  var mayBeEmpty = false
  /// Its member in pulled definitions (`docs/definitions.md`); `nil` where only the file decides.
  var pulledAs: String?
  /// Values as somebody may write them.
  let examples: [String]
  /// Its meaning, in a few sentences.
  let text: String

  /// With its section: `recording.seal`.
  var path: String { "\(section.rawValue).\(name)" }

  /// The default as explanations show it.
  var shownDefault: String {
    if isRequired { return "none, it is required" }
    let values = defaults.joined(separator: ", ")
    guard !values.isEmpty else { return defaultInWords ?? "none" }
    return values + (unit.map { " \($0)" } ?? "")
  }

  /// The text with what else there is to know in sentences.
  var sentences: String {
    text + (isRepeatable ? " May be repeated." : "")
      + (isRequired ? " Required." : " Default: \(shownDefault).")
  }

  /// The line of an example file.
  func line(_ value: String) -> String { value.isEmpty ? "\(name) =" : "\(name) = \(value)" }
}

/// What the keys of a section fill in. A fresh one has all defaults.
protocol Configurable: Hashable, Sendable {
  init()
}

/// One key of the configuration file: its description, its effect and the part that it touches.
struct ConfigurationKey<Owner: Configurable>: Sendable {
  /// What explanations tell.
  private(set) var description: ConfigurationKeyDescription
  /// What a change of its value touches.
  let part: ConfigurationPart
  /// Whether a value fits.
  let fits: @Sendable (String) -> Bool
  /// Sets the values, which fit.
  let apply: @Sendable (inout Owner, [String]) -> Void
  /// The present values, as they would be written.
  let values: @Sendable (Owner) -> [String]
  /// Whether two configurations have other values.
  let differs: @Sendable (Owner, Owner) -> Bool
  /// What a value names: two values of a repeatable key must not name the same.
  let subject: @Sendable (String) -> String

  /// The same key, which pulled definitions may set with this member. The member has to be harmless
  /// in the hands of the authors of definitions (decision 64).
  func pulled(as member: String) -> ConfigurationKey {
    var key = self
    key.description.pulledAs = member
    return key
  }

  /// A place in a configuration that a key sets.
  typealias Place<Value> = any WritableKeyPath<Owner, Value> & Sendable

  /// A key with one value. Its default is that of a fresh configuration.
  static func key<Value: Equatable>(
    _ section: ConfigurationSection, _ name: String, _ parameter: Parameter<Value>,
    unit: String? = nil, example: String, sets place: Place<Value>, touches part: ConfigurationPart,
    text: String
  ) -> ConfigurationKey {
    key(
      ConfigurationKeyDescription(
        section: section, name: name, argument: parameter.argument, unit: unit,
        defaults: [parameter.text(Owner()[keyPath: place])], examples: [example], text: text),
      part, parameter, sets: { if let value = $1.first { $0[keyPath: place] = value } },
      values: { [$0[keyPath: place]] })
  }

  /// A key that its section has to have.
  static func required<Value: Equatable>(
    _ section: ConfigurationSection, _ name: String, _ parameter: Parameter<Value>,
    example: String, sets place: Place<Value>, touches part: ConfigurationPart, text: String
  ) -> ConfigurationKey {
    key(
      ConfigurationKeyDescription(
        section: section, name: name, argument: parameter.argument, unit: nil, isRequired: true,
        examples: [example], text: text),
      part, parameter, sets: { if let value = $1.first { $0[keyPath: place] = value } },
      values: { [$0[keyPath: place]] })
  }

  /// A key with a value that need not be there: an empty one means the same as none.
  static func optional<Value: Equatable>(
    _ section: ConfigurationSection, _ name: String, _ parameter: Parameter<Value>,
    unit: String? = nil, defaultInWords: String? = nil, example: String,
    sets place: Place<Value?>, touches part: ConfigurationPart, text: String
  ) -> ConfigurationKey {
    key(
      ConfigurationKeyDescription(
        section: section, name: name, argument: parameter.argument, unit: unit,
        defaults: Owner()[keyPath: place].map { [parameter.text($0)] } ?? [],
        defaultInWords: defaultInWords, mayBeEmpty: true, examples: [example], text: text),
      part, parameter, sets: { $0[keyPath: place] = $1.first },
      values: { $0[keyPath: place].map { [$0] } ?? [] })
  }

  /// A key that may be given for each of several values, which together replace the default.
  static func repeatable<Value: Equatable>(
    _ section: ConfigurationSection, _ name: String, _ parameter: Parameter<Value>,
    defaultInWords: String? = nil, examples: [String], adds place: Place<[Value]>,
    touches part: ConfigurationPart, subject: @escaping @Sendable (Value) -> String, text: String
  ) -> ConfigurationKey {
    key(
      ConfigurationKeyDescription(
        section: section, name: name, argument: parameter.argument, unit: nil,
        defaults: Owner()[keyPath: place].map(parameter.text), defaultInWords: defaultInWords,
        isRepeatable: true, examples: examples, text: text),
      part, parameter, sets: { $0[keyPath: place] = $1 }, values: { $0[keyPath: place] },
      subject: subject)
  }

  private static func key<Value: Equatable>(
    _ description: ConfigurationKeyDescription, _ part: ConfigurationPart,
    _ parameter: Parameter<Value>,
    sets set: @escaping @Sendable (inout Owner, [Value]) -> Void,
    values: @escaping @Sendable (Owner) -> [Value],
    subject: (@Sendable (Value) -> String)? = nil
  ) -> ConfigurationKey {
    let mayBeEmpty = description.mayBeEmpty
    return ConfigurationKey(
      description: description, part: part,
      fits: { mayBeEmpty && $0.isEmpty || parameter.value($0) != nil },
      apply: { owner, texts in
        // An empty value takes away what was there.
        let texts = mayBeEmpty ? texts.filter { !$0.isEmpty } : texts
        set(&owner, texts.compactMap(parameter.value))
      },
      values: { values($0).map(parameter.text) }, differs: { values($0) != values($1) },
      subject: { text in parameter.value(text).flatMap { subject?($0) } ?? text })
  }
}
