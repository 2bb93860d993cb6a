public import HTTPClient
internal import UploadProtocol
internal import Recording
public import Values

/// Lists a user's records in a Firestore database, and reads them back.
public struct FirestoreLibrary: Sendable {
  /// An entry in the list of records.
  public struct Entry: Hashable, Sendable {
    /// The record's name: the last component of its document's path, or the provisional name if
    /// there is no record yet.
    public let name: String
    /// The session's id and the sensor's address, joined by a hyphen; `nil` if the record does not
    /// contain both. The name remains valid after the session has a record.
    public let provisionalName: String?
    /// The time at which the session was recorded or submitted; `nil` if the record contains
    /// neither time.
    public let date: UTCTime?
    /// The addresses of the record's boards, or the sensor's name if the record contains no
    /// address.
    public let boards: [String]
    public let chunks: Int
    /// The number of samples; `nil` if the record does not state it.
    public let samples: Int?
    /// Whether the session has no record yet, which means that more chunks may follow.
    public let isGrowing: Bool

    let document: FirestoreDocument
  }

  /// A chunk that was not found, although a record lists it or a stored chunk follows it.
  public struct MissingChunk: Hashable, Sendable {
    /// The chunk's id, as written in the record; `unknown` if there is no record yet.
    public let id: String
    /// The chunk's position in the list, from 0.
    public let position: Int
    /// The reason the chunk is missing, as a clause without a full stop.
    public let reason: String
  }

  let account: FirestoreAccount
  private let kind: DestinationSettings.FirestoreLayout
  private let user: String?
  /// The maximum number of concurrent requests for documents.
  private let parallel: Int

  /// If `user` is `nil`, the signed-in user's records are listed.
  public init(
    _ place: FirestorePlace, credentials: DestinationSettings.Credentials,
    over exchange: any HTTPExchange,
    user: String? = nil, parallel: Int = 8, environment: [String: String] = [:]
  ) {
    account = FirestoreAccount(place, credentials, over: exchange, environment: environment)
    kind = place.layout
    self.user = user
    self.parallel = max(1, parallel)
  }

  func layout() async throws(FirestoreFailure) -> FirestoreLayout {
    if let user { return FirestoreLayout(kind: kind, user: user) }
    return FirestoreLayout(kind: kind, user: try await account.user())
  }

  /// Whether samples are stored as plain numbers, to be read with `samples(of:)`, rather than as
  /// chunks, to be read with `session(of:)`.
  public var hasWrittenSamples: Bool { kind != .compact }

  /// Returns the user's records, oldest first. Records without a date precede all others. In the
  /// researchers' layouts, sessions that have chunks but no record yet are included.
  public func entries() async throws(Setback) -> [Entry] {
    do throws(FirestoreFailure) {
      let layout = try await layout()
      // The chunks are queried before the records. If a session ends between the two queries, its
      // record is still found.
      let begun = layout.isResearchers ? try await firstChunks(in: layout) : []
      // The query does not sort its results. If it did, the database would need an index and would
      // omit records without the field to sort by.
      let query = layout.query(layout.isResearchers ? "records" : "sessions")
      var found = try await account.access.query(query)
      // While a session is still being sent, its document refers to no pieces.
      if !layout.isResearchers { found.removeAll { $0.fields["record_checksum"] == nil } }
      let entries = found.map { Self.entry($0) }
      return (entries + (try await growing(begun, besides: entries, in: layout))).sorted {
        ($0.date?.nanoseconds ?? .min, $0.name) < ($1.date?.nanoseconds ?? .min, $1.name)
      }
    } catch {
      throw error.setback
    }
  }

  static func entry(_ document: FirestoreDocument, isGrowing: Bool = false) -> Entry {
    let fields = document.fields
    let date = (fields["start_time"] ?? fields["timestamp"])?.number.flatMap(UTCTime.init(seconds:))
    let data = fields["gscope_data"]?.array ?? []
    let isInline = data.first?.map != nil
    let boards = fields["boards"]?.array?.compactMap { $0.map?["address"]?.text }
    return Entry(
      name: document.path.last ?? "", provisionalName: provisionalName(document), date: date,
      boards: boards ?? [fields["sensor_id"]?.text].compactMap(\.self),
      chunks: Int(fields["chunk_count"]?.integer ?? 0)
        + (isInline ? 0 : data.count { $0 != .null }),
      samples: fields["point_count"]?.integer.flatMap { Int(exactly: $0) }
        ?? (isInline ? data.count : nil),
      isGrowing: isGrowing, document: document)
  }

  // MARK: Compact

  /// Returns a session, with the chunks and track pieces that were found.
  ///
  /// - Parameter progress: called with the number of chunks already read and the total number.
  public func session(
    of entry: Entry, progress: (Int, Int) throws -> Void = { _, _ in }
  ) async throws -> FetchedSession {
    let access = account.access
    let layout = try await layout()
    let head = entry.document
    let record = try await record(head)
    let (track, missingFixes) = try await track(of: record, in: head.path)
    let ids = record.streams.flatMap(\.chunks).map(\.id)
    let groups = stride(from: 0, to: ids.count, by: Self.group).map {
      Array(ids[$0..<min($0 + Self.group, ids.count)])
    }
    var (chunks, missing, position): ([UniqueID: [UInt8]], [MissingChunk], Int) = ([:], [], 0)
    try await inOrder(
      groups, parallel: parallel,
      work: { group in await Self.documents(group.map(layout.chunk), access) },
      take: { group, found in
        for (id, document) in zip(group, found) {
          switch document {
          case .success(let document):
            if let bytes = document.fields["data"]?.bytes,
              document.fields["checksum"]?.text == ChunkDocument.checksum(bytes)
            {
              chunks[id] = bytes
            } else {
              missing.append(
                MissingChunk(
                  id: FirestoreLayout.text(id), position: position,
                  reason: "its document does not match its checksum"))
            }
          case .failure(let failure):
            missing.append(
              MissingChunk(
                id: FirestoreLayout.text(id), position: position, reason: try failure.absence()))
          }
          position += 1
        }
        try progress(position, ids.count)
      })
    return FetchedSession(
      record: record, track: track, chunks: chunks, missingChunks: missing,
      missingFixes: missingFixes)
  }

  /// The number of documents that are requested at once.
  private static let group = 16

  private static let unreadable = Setback(
    .rejected, "the session's record cannot be read", remedy: "upload the session again")

  /// Reads the record to which a session's head document refers.
  private func record(_ head: FirestoreDocument) async throws -> SessionRecord {
    guard let checksum = head.fields["record_checksum"]?.text,
      let count = head.fields["record_pieces"]?.integer, (1...10_000).contains(count)
    else { throw Self.unreadable }
    let access = account.access
    var content: [UInt8] = []
    try await inOrder(
      Array(0..<Int(count)), parallel: parallel,
      work: { number in
        await Self.content(CompactUpload.piece(number, of: checksum, in: head.path), access)
      },
      take: { _, piece in
        guard let piece = try piece.mapError(\.setback).get() else { throw Self.unreadable }
        content += piece
      })
    guard ChunkDocument.checksum(content) == checksum else { throw Self.unreadable }
    return try SessionRecord(decoding: content)
  }

  private func track(
    of record: SessionRecord, in path: [String]
  ) async throws -> (fixes: [Fix], missing: [MissingFixes]) {
    let access = account.access
    var reading = TrackReading(of: record)
    var fixes: [Fix] = []
    while case let firsts = reading.next(parallel), !firsts.isEmpty {
      try await inOrder(
        firsts, parallel: parallel,
        work: { first in await Self.content(CompactUpload.track(first, in: path), access) },
        take: { first, content in
          fixes += reading.take(try Self.piece(content, of: record.session.id, from: first))
        })
    }
    return (fixes, reading.missing)
  }

  private static func piece(
    _ content: Result<[UInt8]?, FirestoreFailure>, of session: UniqueID, from first: Int
  ) throws(Setback) -> TrackFinding {
    switch content {
    case .success(let content):
      guard let content, let piece = try? TrackPiece(decoding: content), piece.session == session,
        piece.first == first
      else { return .missing("its document is damaged") }
      return .found(piece)
    case .failure(let failure): return .missing(try failure.absence())
    }
  }

  /// Returns a piece's bytes, or `nil` if its document does not contain any.
  private static func content(
    _ path: [String], _ access: FirestoreAccess
  ) async -> Result<[UInt8]?, FirestoreFailure> {
    do throws(FirestoreFailure) {
      return .success(try await access.read(path, fields: []).fields["content"]?.bytes)
    } catch {
      return .failure(error)
    }
  }

  /// Returns each document, or the reason it is missing. Under per-user rules, one missing document
  /// makes the whole request fail. In that case, each document is requested separately.
  private static func documents(
    _ paths: [[String]], _ access: FirestoreAccess
  ) async -> [Result<FirestoreDocument, FirestoreFailure>] {
    if paths.count > 1 {
      do throws(FirestoreFailure) {
        let found = Dictionary(
          try await access.read(paths).map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        return paths.map { path in
          found[path].map { .success($0) } ?? .failure(.absent("document not found"))
        }
      } catch {
        guard error.isForbidden else { return paths.map { _ in .failure(error) } }
      }
    }
    var documents: [Result<FirestoreDocument, FirestoreFailure>] = []
    for path in paths {
      do throws(FirestoreFailure) {
        documents.append(.success(try await access.read(path, fields: [])))
      } catch {
        documents.append(.failure(error))
      }
    }
    return documents
  }

  // MARK: Researchers

  /// Reads a record's samples chunk by chunk, in order. Returns the chunks that are missing.
  ///
  /// - Parameter take: called with each chunk's samples, the number of chunks already read and the
  ///   total number.
  public func samples(
    of entry: Entry, _ take: ([WrittenSample], Int, Int) throws -> Void
  ) async throws -> [MissingChunk] {
    let data = entry.document.fields["gscope_data"]?.array ?? []
    if data.first?.map != nil {
      // In the old format, the record itself contains the samples.
      try take(data.map { WrittenSample($0) }, 0, 0)
      return []
    }
    let access = account.access
    let layout = try await layout()
    let ids = data.map(\.text)
    var missing: [MissingChunk] = []
    var position = 0
    try await inOrder(
      ids, parallel: parallel,
      work: { id -> Result<FirestoreDocument, FirestoreFailure> in
        guard let id else { return .failure(.refused("it has not arrived yet")) }
        return await Self.documents([layout.samplesCollection + [id]], access)[0]
      },
      take: { id, document in
        switch document {
        case .success(let document):
          let scale = document.fields["counts_per_unit"]?.number
          let samples = document.fields["gscope_data"]?.array ?? []
          try take(samples.map { WrittenSample($0, countsPerUnit: scale) }, position + 1, ids.count)
        case .failure(let failure):
          missing.append(
            MissingChunk(
              id: id ?? "unknown", position: position, reason: try failure.absence()))
          try take([], position + 1, ids.count)
        }
        position += 1
      })
    return missing
  }
}

extension FirestoreFailure {
  /// Returns the reason a document is missing. Throws if the document may exist.
  fileprivate func absence() throws(Setback) -> String {
    switch self {
    case .absent: "not found"
    // With the usual rules, the database sends this response if the document does not exist.
    case .forbidden: "not found, or reading is not permitted"
    case .refused(let words): words
    case .setback, .exists, .unauthenticated: throw setback
    }
  }
}

extension UTCTime {
  /// Creates the instant that is this many seconds after 1970, to the microsecond. Returns `nil` if
  /// it is out of range.
  init?(seconds: Double) {
    guard seconds.magnitude < 9e9 else { return nil }
    self.init(nanoseconds: Int64((seconds * 1e6).rounded()) * 1_000)
  }
}
