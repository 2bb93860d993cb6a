internal import Values

/// Sessions of the researchers' layouts that have chunks but no record yet.
extension FirestoreLibrary {
  /// The maximum number of documents that the database sends at once.
  private static let page = 300
  /// The maximum number of chunks that one board can have in a session. Documents with a larger
  /// `chunk_index` are ignored.
  private static let mostChunks: Int64 = 1_000_000

  /// Returns the provisional name of a board's part of a session, used until the record exists.
  /// Returns `nil` unless the document contains both `session_id` and `sensor_id`.
  static func provisionalName(_ document: FirestoreDocument) -> String? {
    guard let session = document.fields["session_id"]?.text,
      let sensor = document.fields["sensor_id"]?.text
    else { return nil }
    return "\(session)-\(sensor)"
  }

  /// Returns the first chunk of each board of each session, without its samples.
  func firstChunks(in layout: FirestoreLayout) async throws(FirestoreFailure)
    -> [FirestoreDocument]
  {
    // The query compares fields only for equality, so it needs no composite index.
    var query = layout.query("realtime_data")
    query.equal.append(FirestoreField("chunk_index", .integer(0)))
    query.fields = ["session_id", "sensor_id"]
    do throws(FirestoreFailure) {
      return try await account.access.query(query, page: Self.page)
    } catch {
      // If the database's rules or indexes do not allow this query, records can still be listed.
      switch error {
      case .forbidden, .refused: return []
      default: throw error
      }
    }
  }

  /// Returns an entry for each board that has a first chunk but no record yet.
  func growing(
    _ firstChunks: [FirestoreDocument], besides records: [Entry], in layout: FirestoreLayout
  ) async throws(FirestoreFailure) -> [Entry] {
    var known = Set(records.compactMap(\.provisionalName))
    var entries: [Entry] = []
    for first in firstChunks {
      guard let name = Self.provisionalName(first), known.insert(name).inserted else { continue }
      let ids = first.fields.filter { ["session_id", "sensor_id"].contains($0.name) }
      var query = layout.query("realtime_data")
      query.equal += ids
      query.fields = ["chunk_index", "point_count"]
      let chunks = try await account.access.query(query, page: Self.page)
      // A query cannot select a single sample, so the whole first chunk is read to obtain its start
      // time.
      let samples = try await account.access.read(first.path, fields: ["gscope_data"])
      let start = samples.fields["gscope_data"]?.array?.first?.map?["timestamp"]
      entries.append(
        Self.entry(
          FirestoreDocument(
            path: [name],
            fields: ids + [
              FirestoreField("gscope_data", .array(Self.list(chunks))),
              FirestoreField(
                "point_count",
                .integer(chunks.reduce(0) { $0 &+ ($1.fields["point_count"]?.integer ?? 0) })),
            ] + [FirestoreField("start_time", ifKnown: start)].compactMap(\.self)),
          isGrowing: true))
    }
    return entries
  }

  /// Returns the ids of chunks in the order in which a record lists them, with null in place of
  /// each missing chunk.
  private static func list(_ chunks: [FirestoreDocument]) -> [FirestoreValue] {
    var list: [FirestoreValue] = []
    let numbered = chunks.compactMap { chunk -> (index: Int64, id: String)? in
      guard let index = chunk.fields["chunk_index"]?.integer, (0..<mostChunks).contains(index),
        let id = chunk.path.last
      else { return nil }
      return (index, id)
    }
    for (index, id) in numbered.sorted(by: { $0 < $1 }) {
      while list.count < index { list.append(.null) }
      list.append(.string(id))
    }
    return list
  }
}
