internal import ChunkFormat
internal import Cryptography
public import HTTPClient
internal import LinuxSystem
public import Recording
internal import UploadProtocol
public import Values

/// The sessions at an endpoint of the upload protocol, to be listed and read back.
public final class EndpointLibrary: Sendable {
  /// A session in the list.
  public struct Entry: Hashable, Sendable {
    /// The session.
    public let id: UniqueID
    /// The gateway that sent it, where the endpoint distinguishes them.
    public let gateway: UniqueID?
    /// When it began; `nil` where the endpoint does not know.
    public let start: UTCTime?
    /// How many of its chunks the endpoint has.
    public let chunks: Int
    /// Whether its record is there.
    public let hasRecord: Bool

    /// A session that was asked for by its id.
    public init(id: UniqueID, gateway: UniqueID?) {
      self.id = id
      self.gateway = gateway
      start = nil
      chunks = 0
      hasRecord = true
    }

    /// The session of an item of the list.
    init?(_ item: JSON) {
      guard let id = item["id"]?.text.flatMap({ UniqueID($0) }) else { return nil }
      self.id = id
      gateway = item["gateway"]?.text.flatMap { UniqueID($0) }
      start = item["start"]?.text.flatMap { UTCTime(iso8601: $0) }
      chunks = max(0, item["chunks"]?.integer ?? 0)
      hasRecord = item["record"]?.bool ?? false
    }
  }

  /// Seconds in which a request is repeated while the endpoint is not available: as long as a
  /// database takes to fail over.
  private static let patience = 15.0

  private let sender: HTTPDestinationSender
  /// How many requests are under way at a time.
  private let parallel: Int

  /// The library of the endpoint whose paths are below an address.
  ///
  /// - Parameter token: the file of a token that may read.
  public init(
    url: String, exchange: any HTTPExchange, token: SecretFile?, parallel: Int = 8
  ) {
    sender = HTTPDestinationSender(url: url, exchange: exchange, token: token, compresses: false)
    self.parallel = max(1, parallel)
  }

  /// The sessions of one gateway or of all, the newest last: so many of them, or all. A session
  /// whose begin is not known yet is being sent, and comes before all others. `hasMore` says
  /// whether the endpoint may have older ones, which it does not list.
  public func entries(
    of gateway: UniqueID? = nil, newest: Int? = nil
  ) async throws(Setback) -> (entries: [Entry], hasMore: Bool) {
    let query =
      (gateway.map { ["gateway=\($0)"] } ?? []) + (newest.map { ["newest=\($0)"] } ?? [])
    let body =
      try await get(.sessions, query.isEmpty ? "" : "?" + query.joined(separator: "&")) ?? []
    guard let answer = try? JSON(parsing: body), let list = answer["sessions"]?.list else {
      throw Self.foreign("no list of sessions")
    }
    let hasMore = newest == nil && answer["more"]?.bool ?? false
    let entries = list.compactMap(Entry.init).sorted {
      ($0.start?.nanoseconds ?? .min) < ($1.start?.nanoseconds ?? .min)
    }
    return (newest.map { Array(entries.suffix($0)) } ?? entries, hasMore)
  }

  /// The record of a session; `nil` if the endpoint does not have it yet.
  public func record(of entry: Entry) async throws(Setback) -> SessionRecord? {
    guard let body = try await get(.session(entry.id), Self.query(entry)) else { return nil }
    guard let record = try? SessionRecord(decoding: body), record.session.id == entry.id else {
      throw Self.foreign("no record of session \(entry.id)", .faulty)
    }
    return record
  }

  /// The record of a session in a list.
  public enum RecordFinding: Sendable {
    /// The record.
    case found(SessionRecord)
    /// The endpoint does not have it yet.
    case absent
    /// It is damaged there, or cannot be had for another reason of its own.
    case unreadable(Setback)
  }

  /// The records of several sessions, in order. One that cannot be read hides no other.
  public func records(
    of entries: [Entry], progress: (Int, Int) throws -> Void = { _, _ in }
  ) async throws -> [RecordFinding] {
    var records: [RecordFinding] = []
    try await inOrder(
      entries, parallel: parallel,
      work: { entry in
        await self.result { () throws(Setback) in try await self.finding(of: entry) }
      },
      take: { _, record in
        records.append(try record.get())
        try progress(records.count, entries.count)
      })
    return records
  }

  private func finding(of entry: Entry) async throws(Setback) -> RecordFinding {
    do throws(Setback) {
      return try await record(of: entry).map { .found($0) } ?? .absent
    } catch {
      guard error.kind == .faulty else { throw error }
      return .unreadable(error)
    }
  }

  /// Reads chunks of a session in order.
  ///
  /// - Parameter take: called with each chunk, or with why it cannot be had.
  public func chunks(
    _ ids: [UniqueID], of entry: Entry, take: (UniqueID, Finding) throws -> Void
  ) async throws {
    try await inOrder(
      ids, parallel: parallel,
      work: { id in await self.result { () throws(Setback) in try await self.chunk(id, entry) } },
      take: { id, chunk in try take(id, try chunk.get()) })
  }

  /// A chunk, or why it cannot be had.
  public enum Finding: Sendable {
    /// The chunk.
    case found(ReceivedChunk)
    /// It is not there, or damaged, for this reason.
    case missing(String)

    /// The chunk with an id in the bytes that an endpoint has of it; `nil` if it has none.
    public init(_ bytes: [UInt8]?, of id: UniqueID) {
      guard let bytes else {
        self = .missing("the endpoint does not have it")
        return
      }
      do throws(ChunkError) {
        let chunk = try Chunk(decoding: bytes.span)
        self =
          chunk.id == id
          ? .found(ReceivedChunk(bytes: bytes, chunk: chunk))
          : .missing("the endpoint has another chunk in its place")
      } catch {
        self = .missing("it is damaged: \(error)")
      }
    }
  }

  private func chunk(_ id: UniqueID, _ entry: Entry) async throws(Setback) -> Finding {
    do throws(Setback) {
      return Finding(try await get(.chunk(id), Self.query(entry)), of: id)
    } catch {
      // The endpoint failed at this chunk alone: it is damaged there, or its object is gone.
      guard error.kind == .faulty else { throw error }
      return .missing(error.reason)
    }
  }

  /// The piece of a session's track that begins with this fix, or why it cannot be had.
  public func piece(from first: Int, _ entry: Entry) async throws(Setback) -> TrackFinding {
    do throws(Setback) {
      guard let body = try await get(.track(entry.id, first: first), Self.query(entry)) else {
        return .missing("the endpoint does not have it")
      }
      guard let piece = try? TrackPiece(decoding: body), piece.session == entry.id,
        piece.first == first
      else { return .missing("the endpoint has something else in its place") }
      return .found(piece)
    } catch {
      guard error.kind == .faulty else { throw error }
      return .missing(error.reason)
    }
  }

  // MARK: Requests

  private static func query(_ entry: Entry) -> String {
    entry.gateway.map { "?gateway=\($0)" } ?? ""
  }

  private static func foreign(_ what: String, _ kind: Setback.Kind = .rejected) -> Setback {
    Setback(
      kind, "the server answers, and sends \(what)",
      remedy: "see that the address is that of an endpoint")
  }

  private func result<Success: Sendable>(
    _ body: () async throws(Setback) -> Success
  ) async -> Result<Success, Setback> {
    do throws(Setback) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }

  /// The body at a path; `nil` if the endpoint has nothing there. While it is not available, it is
  /// asked again.
  private func get(_ path: UploadPath, _ query: String) async throws(Setback) -> [UInt8]? {
    let end = BootClock.now().advanced(bySeconds: Self.patience)
    var attempt = 1
    while true {
      do throws(Setback) {
        return try await getOnce(path, query)
      } catch {
        guard error.kind == .unavailable, BootClock.now() < end, !Task.isCancelled else {
          var error = error
          if error.remedy.isEmpty { error.remedy = "try again later" }
          throw error
        }
      }
      try? await Task.sleep(nanoseconds: UInt64(attempt) * 500_000_000)
      attempt += 1
    }
  }

  private func getOnce(_ path: UploadPath, _ query: String) async throws(Setback) -> [UInt8]? {
    let response = try await sender.get(path, query: query).get()
    let isPage = HTTPDestinationAnswer.isPage(response)
    switch sender.meaning(of: response) {
    case .success where response.status == 200 && !isPage:
      if let digest = response["content-digest"].flatMap(ContentDigest.sha256),
        SHA256.hash(of: response.body) != digest
      {
        throw Setback(
          .unavailable, "what the endpoint sent arrived altered",
          remedy: "something on the way changes it, such as a proxy or a bad cable")
      }
      return response.body
    case .success where isPage, .notHere where isPage:
      throw HTTPDestinationReceipt.setback(for: response)
    case .success: throw Self.foreign("status \(response.status)")
    case .notHere(let words):
      guard Self.isNothing(response, at: path) else {
        throw Setback(
          .rejected, "the server has no sessions at this address: \(words)",
          remedy: "see that the address is that of an endpoint")
      }
      return nil
    case .failed(let setback) where setback.kind == .forbidden:
      throw Setback(
        .forbidden, "the server does not let us read: \(HTTPDestinationError(response).words)",
        remedy:
          "see that the file of --token-file holds the right token, and that it may read there")
    case .failed(let setback): throw setback
    case .conflict(_, let words), .altered(let words), .tooLarge(let words),
      .notUnpacked(let words), .refused(let words):
      throw Setback(
        .rejected, "the server does not give it: \(words)",
        remedy: "see that the address is that of an endpoint")
    }
  }

  /// Whether a failure says that the endpoint has nothing at a path. An endpoint says so by a code;
  /// any other server has a page there, or nothing. A simple endpoint has no codes. It is known by
  /// its list, after which chunks and tracks are asked for.
  private static func isNothing(_ response: HTTPResponse, at path: UploadPath) -> Bool {
    switch path {
    case .sessions: false
    case .chunk, .track: response.status == 404
    default: HTTPDestinationError(response).code == "not-found"
    }
  }
}
