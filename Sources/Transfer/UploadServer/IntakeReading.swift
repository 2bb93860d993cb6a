internal import ChunkFormat
internal import HTTPServer
internal import LinuxSystem
internal import Recording
internal import UploadProtocol
internal import Values

/// Answers requests for data that an intake has stored.
struct IntakeReading {
  private let intake: any SharedIntake
  private let bodyLimit: Int
  private let live: LiveStreams?
  private let tally: IntakeTally
  private let distant = DistantReading()

  init(
    _ intake: any SharedIntake, tally: IntakeTally, bodyLimit: Int, live: LiveStreams?
  ) {
    self.intake = intake
    self.tally = tally
    self.bodyLimit = bodyLimit
    self.live = live
  }

  /// Sends the response to a request for stored data.
  func see(to job: IntakeThread.Job) throws(Refusal) {
    let names = job.head.query.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw Refusal(400, "malformed", "'\(name)' is repeated in the query")
    }
    let reader = try reader(of: job)
    if case .chunk(let id) = job.path { return try give(id, to: reader, job) }
    try job.reply.give(read(job.path, job.head.query, for: reader))
  }

  /// Returns the caller whose data a query may access. If a reader specifies a gateway, it can
  /// access the same data as that gateway.
  private func reader(of job: IntakeThread.Job) throws(Refusal) -> Caller {
    guard let named = job.head.query.first(where: { $0.name == "gateway" }) else {
      return job.caller
    }
    guard let gateway = UniqueID(named.value) else {
      throw Refusal(400, "malformed", "'gateway' must be an id from 'footbridge-fleet list'")
    }
    switch job.caller {
    case .reader: return .gateway(gateway)
    case .anybody, .gateway(gateway): return job.caller
    case .gateway: throw Refusal(403, "forbidden", "this token belongs to another gateway")
    }
  }

  /// Sends a chunk as the response. A chunk that is stored on another computer is fetched on
  /// another thread, because this thread must not be blocked.
  private func give(
    _ id: UniqueID, to caller: Caller, _ job: IntakeThread.Job
  ) throws(Refusal) {
    let held: HeldChunk?
    do throws(StoreError) {
      held = try intake.heldChunk(id, of: caller)
      if case .bytes(let bytes) = held { try check(bytes, id) }
    } catch {
      return job.fail(error, tally)
    }
    switch held {
    case nil: throw Refusal.missing("chunk")
    case .bytes(let bytes), .sound(let bytes): job.reply.give(UploadAnswer.chunk(bytes))
    case .elsewhere(let read): distant.give(read, to: job.reply, tally)
    }
  }

  /// Checks that a chunk's bytes have not changed since the chunk was received.
  private func check(_ bytes: [UInt8], _ id: UniqueID) throws(StoreError) {
    let fault: String
    do throws(ChunkError) {
      if try Chunk(decoding: bytes.span).id == id { return }
      fault = "it contains another chunk"
    } catch {
      fault = "\(error)"
    }
    throw StoreError(
      .damaged, "chunk \(id) is damaged on this server: \(fault)",
      remedy: "restore it from a backup, or have the gateway send the session again: "
        + "footbridge upload --again SESSION")
  }

  private func read(
    _ path: UploadPath, _ query: [RequestHead.Field], for reader: Caller
  ) throws(Refusal) -> ServerResponse {
    do {
      switch path {
      case .session(let id):
        guard let record = try intake.reading(of: reader).record(of: id) else {
          throw Refusal.missing("record")
        }
        return UploadAnswer.content(RecordBody.bytes(of: record), type: "application/json")
      case .track(let id, let first):
        guard let piece = try intake.reading(of: reader).track(of: id, from: first) else {
          throw Refusal.missing("track piece")
        }
        return UploadAnswer.content(RecordBody.bytes(of: piece), type: "application/json")
      case .sessions:
        let hasSummaries = query.first { $0.name == "summary" }?.value ?? "false"
        guard ["true", "false"].contains(hasSummaries) else {
          throw Refusal(400, "malformed", "'summary' must be true or false")
        }
        return UploadAnswer.sessions(
          try sessions(query, in: intake.reading(of: reader)), withSummaries: hasSummaries == "true"
        )
      case .root: return UploadAnswer.greeting(bodyLimit: bodyLimit)
      case .chunk, .chunks, .definitions, .live: throw Refusal.missing("address")
      }
    } catch let error as StoreError {
      tally.count(error)
      return UploadAnswer.failure(error)
    } catch let error as Refusal {
      throw error
    } catch {
      throw Refusal.missing("item")
    }
  }

  /// The maximum number of sessions in one response.
  private static let mostSessions = 10_000
  /// The maximum number of seconds that a session's start may lie in the future, because clocks
  /// differ. If the start is later than that, it is treated as unknown. Otherwise, a gateway with a
  /// wrong clock would be first in every list.
  private static let believedSeconds: Int64 = 60

  /// Returns the sessions that a query requests: all of them, or the newest N.
  private func sessions(
    _ query: [RequestHead.Field], in reading: any SessionReading
  ) throws -> SessionList {
    var count = Self.mostSessions
    if let newest = query.first(where: { $0.name == "newest" }) {
      let digits = newest.value.utf8
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
        Int(newest.value) != 0
      else {
        throw Refusal(400, "malformed", "'newest' must be a number of sessions, at least 1")
      }
      count = min(Int(newest.value) ?? .max, count)
    }
    let latest = BootClock.systemTime().nanoseconds + Self.believedSeconds * 1_000_000_000
    let sessions = try reading.sessions(newest: count).map { session in
      var session = session
      if let start = session.start, start.nanoseconds > latest { session.start = nil }
      return session
    }
    return SessionList(Self.newest(count, of: sessions), hasMore: sessions.count >= count)
  }

  /// Returns the `count` sessions that started last, in list order. Sessions with an unknown start
  /// are the first to be left out.
  private static func newest(_ count: Int, of sessions: [HeldSession]) -> [HeldSession] {
    guard sessions.count > count else { return sessions }
    func start(_ index: Int) -> Int64 { sessions[index].start?.nanoseconds ?? .min }
    return sessions.indices.sorted { start($0) > start($1) }.prefix(count).sorted()
      .map { sessions[$0] }
  }

  /// Streams the states that the gateways share, until the client disconnects.
  func follow(_ job: IntakeThread.Job) {
    guard let live, case .reader = job.caller, let token = job.token else {
      return job.reply.give(
        UploadAnswer.error(404, "not-found", "this upload server does not follow the gateways"))
    }
    guard let stream = live(token) else {
      return job.reply.give(
        UploadAnswer.error(
          503, "busy", "too many readers are following the gateways",
          fields: [RequestHead.Field("Retry-After", "10")]))
    }
    job.reply.give(
      ServerResponse(
        200,
        fields: [
          RequestHead.Field("Content-Type", "text/event-stream"),
          RequestHead.Field("Cache-Control", "no-store"),
          // A proxy that buffers responses would delay the events.
          RequestHead.Field("X-Accel-Buffering", "no"),
        ]), stream)
  }
}
