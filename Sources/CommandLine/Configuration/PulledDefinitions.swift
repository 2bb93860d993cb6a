internal import Gateway
internal import Storage
internal import Terminal

/// The definitions in a store, read by the rules of this version.
struct PulledDefinitions: Hashable, Sendable {
  let stored: StoredDefinitions
  let definitions: Definitions

  /// Reads a stored set.
  init(_ stored: StoredDefinitions) throws(Definitions.Fault) {
    self.stored = stored
    definitions = try Definitions(parsing: Array(stored.content.utf8))
  }

  /// The definitions in the store at a path; `nil` where there is no store, or none in it.
  static func read(store path: String) throws -> PulledDefinitions? {
    guard StoreReader.exists(at: path) else { return nil }
    return try StoreReader(path: path).definitions().map { stored throws(Definitions.Fault) in
      try PulledDefinitions(stored)
    }
  }

  /// The same for a command that also works without them: an obstacle is logged as a warning.
  static func read(store path: String, _ console: Console) -> PulledDefinitions? {
    do {
      return try read(store: path)
    } catch {
      let complaint = Complaint(explaining: error)
      console.warning(
        "definitions not read", ["reason": complaint.message, "remedy": complaint.remedy])
      return nil
    }
  }
}
