enum UniqueName {
  /// Returns the stem and the ending, with a number between them if `used` contains that name.
  /// Names that differ only in case count as equal, since some file systems do not distinguish
  /// them.
  static func make(
    _ stem: String, among used: some Sequence<String>, mark: String, ending: String = ""
  ) -> String {
    let used = Set(used.map { $0.lowercased() })
    var name = stem + ending
    var number = 1
    while used.contains(name.lowercased()) {
      number += 1
      name = stem + mark + String(number) + ending
    }
    return name
  }
}
