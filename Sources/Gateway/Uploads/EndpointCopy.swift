public import Export
public import Recording
public import Upload

/// Copies a session from an endpoint into a store.
public enum EndpointCopy {
  /// Copies the session that this record describes, or only the part needed for a selection, into
  /// the store at a path. Creates the store if it is missing. Returns the parts that could not be
  /// copied.
  ///
  /// - Parameter progress: Called with the number of copied chunks and the total number of chunks
  ///   to copy.
  public static func copy(
    _ record: SessionRecord, _ entry: HeldSession, from library: EndpointLibrary,
    _ selection: ExportSelection, into path: String, progress: (Int, Int) throws -> Void
  ) async throws -> SessionCopy.Missing {
    var copy = try SessionCopy(of: record, selection, into: path)
    let needed = copy.needed
    var done = 0
    try await library.chunks(needed, of: entry) { id, finding in
      try copy.take(id, finding)
      done += 1
      try progress(done, needed.count)
    }
    while let first = copy.nextFix { try copy.take(try await library.piece(from: first, entry)) }
    try copy.finish()
    return copy.missing
  }
}
