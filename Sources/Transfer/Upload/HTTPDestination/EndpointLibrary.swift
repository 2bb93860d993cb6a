internal import ChunkFormat
internal import Coding
public import HTTPClient
internal import LinuxSystem
public import Recording
internal import UploadProtocol
public import Values

/// Lists the sessions at an endpoint of the upload protocol, and reads them back.
public final class EndpointLibrary: Sendable {
  /// The number of seconds to keep retrying a request while the endpoint is unavailable. This is
  /// long enough for a database to fail over to a replica.
  private static let patience = 15.0

  private let sender: HTTPDestinationSender
  /// The maximum number of concurrent requests.
  private let parallel: Int

  /// Creates a library for the endpoint that has this base URL.
  ///
  /// - Parameter token: the file that contains a token with permission to read.
  public init(
    url: String, exchange: any HTTPExchange, token: SecretFile?, parallel: Int = 8
  ) {
    sender = HTTPDestinationSender(url: url, exchange: exchange, token: token, compresses: false)
    self.parallel = max(1, parallel)
  }

  /// Returns the sessions of one gateway or of all gateways, newest last. If `newest` is given,
  /// returns only that number of the most recent sessions. A session with an unknown start is still
  /// being sent, and comes first. `hasMore` is `true` only if `newest` is `nil` and the endpoint
  /// may have older sessions that are not in the list. Older endpoints do not send summaries.
  public func entries(
    of gateway: UniqueID? = nil, newest: Int? = nil, withSummaries hasSummaries: Bool = false
  ) async throws(Setback) -> (entries: [HeldSession], hasMore: Bool) {
    let query =
      (gateway.map { ["gateway=\($0)"] } ?? []) + (newest.map { ["newest=\($0)"] } ?? [])
      + (hasSummaries ? ["summary=true"] : [])
    let body =
      try await get(.sessions, query.isEmpty ? "" : "?" + query.joined(separator: "&")) ?? []
    let list: SessionList
    do throws(JSONError) {
      list = try SessionList(decoding: body)
    } catch {
      throw Self.foreign("an invalid list of sessions: \(error)")
    }
    let entries = list.sessions.sorted {
      ($0.start?.nanoseconds ?? .min) < ($1.start?.nanoseconds ?? .min)
    }
    return (newest.map { Array(entries.suffix($0)) } ?? entries, newest == nil && list.hasMore)
  }

  /// Returns a session's record, or `nil` if the endpoint has not received it yet.
  public func record(of entry: HeldSession) async throws(Setback) -> SessionRecord? {
    guard let body = try await get(.session(entry.id), Self.query(entry)) else { return nil }
    guard let record = try? SessionRecord(decoding: body), record.session.id == entry.id else {
      throw Self.foreign("an invalid record of session \(entry.id)", .faulty)
    }
    return record
  }

  /// The result of requesting a session's summary.
  public enum SummaryFinding: Sendable {
    case found(RecordSummary)
    /// The endpoint has not received the record yet.
    case absent
    /// The endpoint's record is damaged, or is unreadable for another reason that affects only this
    /// record.
    case unreadable(Setback)
  }

  /// Returns the summaries of several sessions, in order. A summary that the endpoint did not send
  /// with its list is computed from the record. An unreadable record does not affect the other
  /// summaries.
  public func summaries(
    of entries: [HeldSession], progress: (Int, Int) throws -> Void = { _, _ in }
  ) async throws -> [SummaryFinding] {
    var summaries: [SummaryFinding] = []
    try await inOrder(
      entries, parallel: parallel,
      work: { entry in
        await self.result { () throws(Setback) in try await self.finding(of: entry) }
      },
      take: { _, summary in
        summaries.append(try summary.get())
        try progress(summaries.count, entries.count)
      })
    return summaries
  }

  private func finding(of entry: HeldSession) async throws(Setback) -> SummaryFinding {
    if let summary = entry.summary { return .found(summary) }
    do throws(Setback) {
      return try await record(of: entry).map { .found(RecordSummary(of: $0)) } ?? .absent
    } catch {
      guard error.kind == .faulty else { throw error }
      return .unreadable(error)
    }
  }

  /// Reads a session's chunks in order.
  ///
  /// - Parameter take: called with each chunk or, if a chunk is missing, with the reason.
  public func chunks(
    _ ids: [UniqueID], of entry: HeldSession, take: (UniqueID, Finding) throws -> Void
  ) async throws {
    try await inOrder(
      ids, parallel: parallel,
      work: { id in await self.result { () throws(Setback) in try await self.chunk(id, entry) } },
      take: { id, chunk in try take(id, try chunk.get()) })
  }

  /// A chunk of a session, or the reason it is missing.
  public enum Finding: Sendable {
    case found(ReceivedChunk)
    /// The chunk is missing or damaged. The text states why.
    case missing(String)

    /// Checks the bytes that an endpoint sent for the chunk with this id. `bytes` is `nil` if it
    /// sent none.
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

  private func chunk(_ id: UniqueID, _ entry: HeldSession) async throws(Setback) -> Finding {
    do throws(Setback) {
      return Finding(try await get(.chunk(id), Self.query(entry)), of: id)
    } catch {
      // The endpoint failed only on this chunk, so its copy of the chunk must be damaged or
      // missing.
      guard error.kind == .faulty else { throw error }
      return .missing(error.reason)
    }
  }

  /// Returns the piece of a session's track that starts with fix number `first`, or the reason the
  /// piece is missing.
  public func piece(from first: Int, _ entry: HeldSession) async throws(Setback) -> TrackFinding {
    do throws(Setback) {
      guard let body = try await get(.track(entry.id, first: first), Self.query(entry)) else {
        return .missing("the endpoint does not have it")
      }
      guard let piece = try? TrackPiece(decoding: body), piece.session == entry.id,
        piece.first == first
      else { return .missing("the endpoint has other content in its place") }
      return .found(piece)
    } catch {
      guard error.kind == .faulty else { throw error }
      return .missing(error.reason)
    }
  }

  // MARK: Requests

  private static func query(_ entry: HeldSession) -> String {
    entry.gateway.map { "?gateway=\($0)" } ?? ""
  }

  private static func foreign(_ what: String, _ kind: Setback.Kind = .rejected) -> Setback {
    Setback(
      kind, "the server sent \(what)",
      remedy: "check that the address points to an endpoint")
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

  /// Requests the content at a path. Returns `nil` if the endpoint has no content there. Retries
  /// while the endpoint is unavailable.
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
          .unavailable, "the endpoint's response was altered in transit",
          remedy: "check the connection: a proxy or a faulty cable may have altered the data")
      }
      return response.body
    case .success where isPage, .notHere where isPage:
      throw HTTPDestinationReceipt.setback(for: response)
    case .success: throw Self.foreign("status \(response.status)")
    case .notHere(let words):
      guard Self.isNothing(response, at: path) else {
        throw Setback(
          .rejected, "there are no sessions at this address: \(words)",
          remedy: "check that the address points to an endpoint")
      }
      return nil
    case .failed(let setback) where [401, 403].contains(response.status):
      throw Setback(
        setback.kind, "the server does not permit reading: \(HTTPDestinationError(response).words)",
        remedy: sender.remedyToRead(
          missing: "add --token-file FILE with a token that permits reading"))
    case .failed(let setback): throw setback
    case .conflict(_, let words), .altered(let words), .tooLarge(let words),
      .notUnpacked(let words), .refused(let words):
      throw Setback(
        .rejected, "the server rejected the request: \(words)",
        remedy: "check that the address points to an endpoint")
    }
  }

  /// Returns whether a failure means that the endpoint has no content at a path. Usually, only an
  /// endpoint's error code shows this, because another server may respond with 404 too. For chunks
  /// and tracks, the status 404 is sufficient: the endpoint has already sent its list, and a simple
  /// endpoint sends no error codes.
  private static func isNothing(_ response: HTTPResponse, at path: UploadPath) -> Bool {
    switch path {
    case .sessions: false
    case .chunk, .track: response.status == 404
    default: HTTPDestinationError(response).code == "not-found"
    }
  }
}
