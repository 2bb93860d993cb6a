internal import Terminal

/// A key's description. The parser, the explanations, the example file and the manual page all use
/// it.
struct ConfigurationKeyDescription: Hashable, Sendable {
  let section: ConfigurationSection
  /// The key's name. A command-line option for the same setting has the same name.
  let name: String
  let argument: Argument
  /// The unit in the plural; `nil` for values without a unit.
  let unit: String?
  /// The default values, as they would be written in the file; empty if there are none.
  var defaults: [String] = []
  /// A description of the default, for keys with empty `defaults`.
  var defaultInWords: String?
  var isRequired = false
  var isRepeatable = false
  /// Whether the key accepts an empty value, which means no value.
  var mayBeEmpty = false
  /// The member of pulled definitions that sets this key (`docs/definitions.md`); `nil` if only the
  /// file may set it.
  var pulledAs: String?
  let examples: [String]
  /// A few sentences about the key.
  let text: String

  /// The key's name with its section, such as `recording.seal`.
  var path: String { "\(section.rawValue).\(name)" }

  /// The default, as explanations show it.
  var shownDefault: String {
    if isRequired { return "none; the key is required" }
    let values = defaults.joined(separator: ", ")
    guard !values.isEmpty else { return defaultInWords ?? "none" }
    return values + (unit.map { " \($0)" } ?? "")
  }

  /// The key's explanation: its meaning, whether it is repeatable or required, and its default.
  var sentences: String {
    text + (isRepeatable ? " May be repeated." : "")
      + (isRequired ? " Required." : " Default: \(shownDefault).")
  }

  func line(_ value: String) -> String { value.isEmpty ? "\(name) =" : "\(name) = \(value)" }
}

/// A value whose properties a section's keys set. A new value contains all defaults.
protocol Configurable: Hashable, Sendable {
  init()
}

/// A configuration key: its description, its effect and the part of the gateway that it affects.
struct ConfigurationKey<Owner: Configurable>: Sendable {
  private(set) var description: ConfigurationKeyDescription
  /// The part of the gateway that is affected if the value changes.
  let part: ConfigurationPart
  let fits: @Sendable (String) -> Bool
  /// Sets the key's values in a configuration. Each value must have passed `fits`.
  let apply: @Sendable (inout Owner, [String]) -> Void
  /// Returns the current values, as they would be written in the file.
  let values: @Sendable (Owner) -> [String]
  let differs: @Sendable (Owner, Owner) -> Bool
  /// Returns the part of a repeatable key's value that must be unique among the key's values. For
  /// the key `sensor`, for example, this is the signal.
  let subject: @Sendable (String) -> String

  /// Returns a copy of the key that pulled definitions can set through this member. Use it only for
  /// keys that the definitions' author cannot misuse to cause harm (decision 64).
  func pulled(as member: String) -> ConfigurationKey {
    var key = self
    key.description.pulledAs = member
    return key
  }

  /// The property of a configuration that a key sets.
  typealias Place<Value> = any WritableKeyPath<Owner, Value> & Sendable

  /// Creates a key with one value. Its default is the value in a new configuration.
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

  /// Creates a key that must be present in its section.
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

  /// Creates a key that accepts an empty value, which means no value.
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

  /// Creates a repeatable key. Its values together replace the default.
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
        // An empty value means no value, so it is not added to the list.
        let texts = mayBeEmpty ? texts.filter { !$0.isEmpty } : texts
        set(&owner, texts.compactMap(parameter.value))
      },
      values: { values($0).map(parameter.text) }, differs: { values($0) != values($1) },
      subject: { text in parameter.value(text).flatMap { subject?($0) } ?? text })
  }
}
