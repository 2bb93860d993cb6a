internal import Recording

/// A hazard as it is written on a command line: its name, an equals sign and its intensity.
public struct HazardRequest: Hashable, Sendable {
  /// One of the usual names, or another.
  public var name: String
  /// From 0 to 3.
  public var intensity: Int

  private static let longestName = 60

  /// As advice to one who wrote something else.
  static let advice =
    "write a name and an intensity from 0 to 3, as in Slippery=2\n"
    + "usual names are \(Hazard.usualNames.joined(separator: ", "));\n"
    + "the beginning of one will do where no other has it, and others are allowed"

  /// The beginnings of the usual names by which shells complete them: blanks would have to be
  /// quoted.
  static let words = Hazard.usualNames.map { name in
    String(name.prefix { $0 != " " }) + "="
  }

  /// Reads `NAME=INTENSITY`; `nil` if it is not that, or the name may be two of the usual ones.
  public init?(_ text: String) {
    guard let equals = text.lastIndex(of: "="),
      let intensity = Int(text[text.index(after: equals)...]),
      Hazard.intensities.contains(intensity),
      let name = Self.name(String(text[..<equals]))
    else { return nil }
    self.name = name
    self.intensity = intensity
  }

  private static func name(_ text: String) -> String? {
    let word = text.split(separator: " ").joined(separator: " ")
    guard !word.isEmpty, word.count <= longestName, LineOfText.isFit(word)
    else { return nil }
    let wanted = word.lowercased()
    let usual = Hazard.usualNames.filter { $0.lowercased().hasPrefix(wanted) }
    if let whole = usual.first(where: { $0.lowercased() == wanted }) { return whole }
    return usual.count > 1 ? nil : usual.first ?? word
  }
}
