internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// A hazard, which the user types as its name, an equals sign and its intensity.
extension HazardRequest {
  private static let longestName = 60

  /// The input format, shown as advice after invalid input.
  static let advice =
    "write a name and an intensity from 0 to 3, as in Slippery=2\n"
    + TerminalText.wrapped(
      "usual names are \(Hazard.usualNames.joined(separator: ", ")); the beginning of one is enough "
        + "if it is unique, and other names are allowed", to: 73
    ).joined(separator: "\n")

  /// The first words of the standard hazard names. Completion offers only these words, because
  /// complete names that contain spaces would need quotes.
  static let words = Hazard.usualNames.map { name in
    String(name.prefix { $0 != " " }) + "="
  }

  /// Parses `NAME=INTENSITY`. Returns `nil` for other text, or if the name matches several of the
  /// standard names.
  init?(_ text: String) {
    guard let equals = text.lastIndex(of: "="),
      let intensity = Int(text[text.index(after: equals)...]),
      Hazard.intensities.contains(intensity),
      let name = Self.name(String(text[..<equals]))
    else { return nil }
    self.init(name: name, intensity: intensity)
  }

  /// The hazard in the form that a user types.
  var text: String { "\(name)=\(intensity)" }

  private static func name(_ text: String) -> String? {
    let word = words(of: text)
    guard !word.isEmpty, word.count <= longestName, LineOfText.isFitAsName(word)
    else { return nil }
    let usual = usualNames(beginningWith: word)
    return usual.count > 1 ? nil : usual.first ?? word
  }

  /// Returns the string with single spaces between its words.
  private static func words(of text: String) -> String {
    text.split(separator: " ").joined(separator: " ")
  }

  /// Returns the standard names that begin with `word`. If a name equals `word`, returns only that
  /// name.
  private static func usualNames(beginningWith word: String) -> [String] {
    let wanted = word.lowercased()
    let names = Hazard.usualNames.filter { $0.lowercased().hasPrefix(wanted) }
    return names.first { $0.lowercased() == wanted }.map { [$0] } ?? names
  }

  /// Returns the same hazard with its name completed to one of `names`, unless the name is a
  /// standard name.
  func completed(among names: [String]) throws(Complaint) -> HazardRequest {
    let wanted = name.lowercased()
    if (Hazard.usualNames + names).contains(where: { $0.lowercased() == wanted }) { return self }
    let found = names.filter { $0.lowercased().hasPrefix(wanted) }
    guard found.count < 2 else {
      throw Complaint(
        "'\(TerminalText.quotation(name))' could mean \(found.joined(separator: " or "))",
        remedy: "enter more of the name", status: .usage)
    }
    var request = self
    request.name = found.first ?? name
    return request
  }

  /// Returns the standard names that match ambiguous text, in a form such as "Slippery or Slope";
  /// `nil` unless there are at least two.
  static func meanings(of text: String) -> String? {
    let word = words(of: String(text[..<(text.lastIndex(of: "=") ?? text.endIndex)]))
    let names = word.isEmpty ? [] : usualNames(beginningWith: word)
    return names.count > 1 ? names.joined(separator: " or ") : nil
  }
}
