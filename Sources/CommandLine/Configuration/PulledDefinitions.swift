internal import Gateway
internal import Recording
internal import Storage
internal import Terminal

/// The definitions in a store, parsed by this version of the program.
struct PulledDefinitions: Hashable, Sendable {
  let stored: StoredDefinitions
  let definitions: Definitions

  init(_ stored: StoredDefinitions) throws(Definitions.Fault) {
    self.stored = stored
    definitions = try Definitions(parsing: Array(stored.content.utf8))
  }

  /// Reads the definitions from the store at a path; `nil` if the store or its definitions do not
  /// exist.
  static func read(store path: String) throws -> PulledDefinitions? {
    guard StoreReader.exists(at: path) else { return nil }
    return try StoreReader(path: path).definitions().map { stored throws(Definitions.Fault) in
      try PulledDefinitions(stored)
    }
  }

  /// Reads the definitions for a command that can also run without them. Errors are logged as
  /// warnings.
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

  /// Returns the participant that a user chose for a stored session; `nil` if the pseudonym is
  /// empty. If the definitions cannot be read, every pseudonym is accepted.
  static func participant(
    _ id: String, inStore path: String
  ) throws(Participant.Unknown) -> Participant? {
    guard !id.isEmpty else { return nil }
    let pulled = try? read(store: path)
    return try Participant.chosen(id, among: pulled?.definitions.participants ?? [])
  }
}
