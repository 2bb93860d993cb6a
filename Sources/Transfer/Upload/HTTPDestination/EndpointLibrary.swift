internal import ChunkFormat
internal import Coding
public import HTTPClient
internal import LinuxSystem
public import Recording
internal import UploadProtocol
public import Values

/// The sessions at an endpoint of the upload protocol, to be listed and read back.
public final class EndpointLibrary: Sendable {
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
  /// whether the endpoint may have older ones, which it does not list. Older endpoints have no
  /// summaries.
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
      throw Self.foreign("no list of sessions: \(error)")
    }
    let entries = list.sessions.sorted {
      ($0.start?.nanoseconds ?? .min) < ($1.start?.nanoseconds ?? .min)
    }
    return (newest.map { Array(entries.suffix($0)) } ?? entries, newest == nil && list.hasMore)
  }

  /// The record of a session; `nil` if the endpoint does not have it yet.
  public func record(of entry: HeldSession) async throws(Setback) -> SessionRecord? {
    guard let body = try await get(.session(entry.id), Self.query(entry)) else { return nil }
    guard let record = try? SessionRecord(decoding: body), record.session.id == entry.id else {
      throw Self.foreign("no record of session \(entry.id)", .faulty)
    }
    return record
  }

  /// The summary of a session in a list.
  public enum SummaryFinding: Sendable {
    /// The summary.
    case found(RecordSummary)
    /// The endpoint does not have its record yet.
    case absent
    /// Its record is damaged there, or cannot be had for another reason of its own.
    case unreadable(Setback)
  }

  /// The summaries of several sessions, in order. Where the list has none, it is made of the
  /// record. One that cannot be read hides no other.
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

  /// Reads chunks of a session in order.
  ///
  /// - Parameter take: called with each chunk, or with why it cannot be had.
  public func chunks(
    _ ids: [UniqueID], of entry: HeldSession, take: (UniqueID, Finding) throws -> Void
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

  private func chunk(_ id: UniqueID, _ entry: HeldSession) async throws(Setback) -> Finding {
    do throws(Setback) {
      return Finding(try await get(.chunk(id), Self.query(entry)), of: id)
    } catch {
      // The endpoint failed at this chunk alone: it is damaged there, or its object is gone.
      guard error.kind == .faulty else { throw error }
      return .missing(error.reason)
    }
  }

  /// The piece of a session's track that begins with this fix, or why it cannot be had.
  public func piece(from first: Int, _ entry: HeldSession) async throws(Setback) -> TrackFinding {
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

  private static func query(_ entry: HeldSession) -> String {
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
    case .failed(let setback) where [401, 403].contains(response.status):
      throw Setback(
        setback.kind, "the server does not let us read: \(HTTPDestinationError(response).words)",
        remedy: sender.remedyToRead(
          missing: "name the file of a token that may read there: --token-file FILE"))
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
