internal import Storage
internal import Terminal

extension StoreLocation {
  /// The remedy if the store has no destinations.
  static let addition =
    "add one with 'footbridge destination add NAME' and --http, --firestore or --folder"

  /// Throws if the store does not exist.
  func destinations() throws -> [StoredDestination] {
    try StoreReader(path: existingPath()).destinations()
  }

  /// Returns the destinations with these names, each once. If no names are given, returns all
  /// destinations.
  func destinations(named names: [String]) throws -> [StoredDestination] {
    let known = try destinations()
    guard !names.isEmpty else { return known }
    var found: [StoredDestination] = []
    for name in names {
      let destination = try destination(name, among: known)
      if !found.contains(destination) { found.append(destination) }
    }
    return found
  }

  /// Returns the destination with this name, ignoring case.
  private func destination(
    _ name: String, among known: [StoredDestination]
  ) throws(Complaint) -> StoredDestination {
    let wanted = name.lowercased()
    if let found = known.first(where: { $0.name?.lowercased() == wanted }) { return found }
    throw Complaint(
      "there is no destination '\(name)'",
      remedy: known.isEmpty
        ? Self.addition
        : "there " + (known.count == 1 ? "is " : "are ")
          + known.compactMap(\.name).joined(separator: ", "))
  }
}
