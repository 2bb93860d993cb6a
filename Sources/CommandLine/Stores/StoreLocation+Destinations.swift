internal import Storage
internal import Terminal

extension StoreLocation {
  /// The remedy for a store without destinations.
  static let addition =
    "add one with 'footbridge destination add NAME --http https://HOST'"

  /// The destinations that are known.
  func destinations() throws -> [StoredDestination] {
    try StoreReader(path: existingPath()).destinations()
  }

  /// The destinations with these names, each once; all where none is named.
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

  /// The destination with this name, in any case.
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
