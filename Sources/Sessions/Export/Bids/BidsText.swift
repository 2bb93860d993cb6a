internal import Values

/// Formats a dataset's JSON files.
enum BidsText {
  /// Returns an object with each member on its own line. Members that are null are left out.
  static func json(_ members: [JSONValue.Member]) -> String {
    let known = members.filter { $0.value != .null }
    let lines = known.map { "  \(JSONValue.string($0.name).text): \($0.value.text)" }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }
}

extension JSONValue.Member {
  static func column(
    _ name: String, _ words: String, levels: JSONValue = .null, unit: String? = nil
  ) -> Self {
    .init(
      name,
      .known([.init("Description", words), .init("Levels", levels), .init("Units", unit)]))
  }
}
