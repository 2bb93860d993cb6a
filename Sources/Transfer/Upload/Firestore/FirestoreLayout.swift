internal import ChunkFormat
internal import Coding
internal import Recording
internal import Values

/// Determines where and how a layout stores one user's documents.
struct FirestoreLayout: Hashable, Sendable {
  let kind: DestinationSettings.FirestoreLayout
  let user: String

  private var root: [String] { kind == .researchersPerUser ? ["users", user] : [] }

  /// Whether documents contain each sample together with its time and position.
  var isResearchers: Bool { kind != .compact }

  /// Returns the path of a chunk that is stored sample by sample.
  func samples(_ id: UniqueID) -> [String] { samplesCollection + [Self.text(id)] }

  /// The path of the collection that contains chunks stored sample by sample.
  var samplesCollection: [String] { root + ["realtime_data"] }

  /// Returns a chunk's path in the compact layout.
  func chunk(_ id: UniqueID) -> [String] { root + ["chunks", Self.text(id)] }

  /// Returns a session's path in the compact layout.
  func session(_ id: UniqueID) -> [String] { root + ["sessions", Self.text(id)] }

  /// Returns the path of the researchers' record for one board of a session. `number` distinguishes
  /// records of sessions that end in the same second.
  func record(endedAt time: UTCTime, number: Int) -> [String] {
    let stamp = Self.stamp(time, separator: kind == .researchersPerUser ? "-" : "")
    let id = number > 1 ? "\(stamp)-\(number)" : stamp
    return kind == .researchersPerUser
      ? root + ["records", id] : ["records", "\(user)___\(id)"]
  }

  /// Returns the query that finds this user's documents in a collection.
  func query(_ collection: String) -> FirestoreQuery {
    FirestoreQuery(
      parent: root, collection: collection, equal: [FirestoreField("user_id", .string(user))])
  }

  /// The path of the collection that contains session statistics.
  var hikes: [String] { ["Users", user, "Hikes"] }

  /// Returns an id in the form that the researchers' programs write.
  static func text(_ id: UniqueID) -> String { id.description.uppercased() }

  /// Returns a time as `yyyyMMddHHmmss`, with `separator` between date and time.
  private static func stamp(_ time: UTCTime, separator: String) -> String {
    let digits = time.iso8601(decimals: 0).filter(\.isNumber)
    return digits.prefix(8) + separator + digits.dropFirst(8)
  }
}

struct ChunkDocument {
  let layout: FirestoreLayout

  /// Returns the document for a chunk that is stored sample by sample, in the form that the
  /// researchers' programs read.
  func written(_ chunk: Chunk, _ samples: SampleArray, checksum: String) -> FirestoreDocument {
    var fields = common(chunk, checksum: checksum)
    fields.append(FirestoreField("range_dps", .double(chunk.stream.degreesPerSecond)))
    if chunk.stream.rawForm == .integer {
      // This factor converts stored samples back to the board's raw counts.
      fields.append(FirestoreField("counts_per_unit", .double(chunk.stream.countsPerUnit)))
    }
    fields.append(FirestoreField("gscope_data", .samples(samples)))
    return FirestoreDocument(path: layout.samples(chunk.id), fields: fields)
  }

  /// Returns the document that stores a chunk as its sealed bytes.
  func compact(_ chunk: Chunk, bytes: [UInt8], checksum: String) -> FirestoreDocument {
    FirestoreDocument(
      path: layout.chunk(chunk.id),
      fields: common(chunk, checksum: checksum) + [
        FirestoreField("signal", .string(chunk.stream.signal)),
        FirestoreField("unit", .string(chunk.stream.unit)),
        FirestoreField("first_ns", .integer(chunk.clock.first.nanoseconds)),
        FirestoreField("data", .bytes(bytes)),
      ])
  }

  private func common(_ chunk: Chunk, checksum: String) -> [FirestoreField] {
    [
      FirestoreField("user_id", .string(layout.user)),
      FirestoreField("session_id", .string(FirestoreLayout.text(chunk.session))),
      FirestoreField("sensor_id", .string(chunk.board.address.description)),
      FirestoreField("chunk_index", .integer(Int64(chunk.sequence))),
      FirestoreField("point_count", .integer(Int64(chunk.count))),
      FirestoreField("odr_hz", .double(chunk.stream.rate)),
      FirestoreField("checksum", .string(checksum)),
    ]
  }

  /// Returns the SHA-256 hash that both sides use to compare a chunk. It is computed from the
  /// sealed bytes, regardless of the document's form.
  static func checksum(_ bytes: [UInt8]) -> String {
    Hexadecimal.text(SHA256.hash(of: bytes))
  }
}
