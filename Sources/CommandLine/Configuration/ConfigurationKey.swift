internal import Terminal

/// Everything about a key except its effect: the parser, the explanations, the example file and the
/// manual page all use it.
struct ConfigurationKeyDescription: Hashable, Sendable {
  let section: ConfigurationSection
  /// The name; the same as the option on the command line, if there is one.
  let name: String
  let argument: Argument
  /// The unit, in the plural; `nil` if there is none.
  let unit: String?
  /// The default, as it would be written; empty if there is none.
  var defaults: [String] = []
  /// The default in words, if `defaults` is empty.
  var defaultInWords: String?
  var isRequired = false
  var isRepeatable = false
  /// Whether an empty value means that there is none.
  var mayBeEmpty = false
  /// Its member in pulled definitions (`docs/definitions.md`); `nil` where only the file decides.
  var pulledAs: String?
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

  /// The text, then whether it may be repeated, whether it is required, and the default.
  var sentences: String {
    text + (isRepeatable ? " May be repeated." : "")
      + (isRequired ? " Required." : " Default: \(shownDefault).")
  }

  /// The line of an example file.
  func line(_ value: String) -> String { value.isEmpty ? "\(name) =" : "\(name) = \(value)" }
}

/// A value that the keys of a section fill in. A new one has all defaults.
protocol Configurable: Hashable, Sendable {
  init()
}

/// One key of the configuration file: its description, its effect and the part that it touches.
struct ConfigurationKey<Owner: Configurable>: Sendable {
  private(set) var description: ConfigurationKeyDescription
  /// The part of the gateway that a change of its value affects.
  let part: ConfigurationPart
  let fits: @Sendable (String) -> Bool
  /// Sets values that passed `fits`.
  let apply: @Sendable (inout Owner, [String]) -> Void
  /// The present values, as they would be written.
  let values: @Sendable (Owner) -> [String]
  /// Whether two configurations differ in this key.
  let differs: @Sendable (Owner, Owner) -> Bool
  /// The subject of a value: two values of a repeatable key must not share one.
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

  /// A key that its section must have.
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

  /// A key whose value may be empty, which means none.
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

  /// A repeatable key. Its values together replace the default.
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
        // An empty value clears the former one.
        let texts = mayBeEmpty ? texts.filter { !$0.isEmpty } : texts
        set(&owner, texts.compactMap(parameter.value))
      },
      values: { values($0).map(parameter.text) }, differs: { values($0) != values($1) },
      subject: { text in parameter.value(text).flatMap { subject?($0) } ?? text })
  }
}
