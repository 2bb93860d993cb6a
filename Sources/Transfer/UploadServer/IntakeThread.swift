internal import ChunkFormat
internal import Cryptography
internal import HTTPServer
internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Values
internal import Zlib

/// The thread that checks and stores the bodies of requests.
///
/// Chunks of requests that arrived while the thread was busy are stored together, so that they
/// share one sync.
final class IntakeThread {
  /// A request to handle.
  struct Job: Sendable {
    var head: RequestHead
    var path: UploadPath
    var body: [UInt8]
    var reply: PendingReply
    /// The hash of the request's token, where callers have tokens of their own.
    var token: [UInt8]?
    /// Who sent it.
    var caller = Caller.anybody
  }

  /// A message to the thread.
  enum Message: Sendable {
    case job(Job)
    /// Find out whether a token is good, by its hash.
    case lookUp(token: [UInt8])
    case stop
  }

  /// Chunks of one request, waiting to be stored.
  private struct Write {
    var job: Job
    /// The verdict on each chunk, or the position of the waiting chunk that determines it.
    var parts: [(id: UniqueID, state: PartState)]
  }

  /// The result of checking a part of a request.
  private enum Finding {
    case chunk(ReceivedChunk)
    case refused(ChunkVerdict)
  }

  private enum PartState {
    case settled(ChunkVerdict)
    case waiting(Int)
  }

  /// Bytes to store together at most, so that the first of them need not wait long.
  private static let bytesTogether = 8 << 20
  /// Bytes of memory that a waiting chunk takes in addition to its content.
  private static let bytesBesides = 1_024
  /// Numbers to decode for one request at most, so that others need not wait long. Below, the
  /// number that a fix counts as.
  private static let numbersTogether = 1 << 24
  private static let numbersOfFix = 20
  /// The size limit of an unpacked body, as a multiple of that of a packed one. Records pack to a
  /// quarter.
  private static let packing = 3

  private let intake: any SessionIntake
  private let jobs: Mailbox<Message>
  private let tally: IntakeTally
  private let known: KnownTokens
  private let bodyLimit: Int
  /// Bytes of an unpacked body at most.
  private let contentLimit: Int
  private let definitions: DefinitionsShelf?
  private let distant = DistantReading()
  private let live: (any LiveSource)?

  private var writes: [Write] = []
  private var chunks: [ReceivedChunk] = []
  private var waitingIDs: Set<UniqueID> = []
  private var waitingBytes = 0

  init(
    _ intake: any SessionIntake, jobs: Mailbox<Message>, tally: IntakeTally, known: KnownTokens,
    bodyLimit: Int, definitions: DefinitionsShelf?, live: (any LiveSource)?
  ) {
    self.known = known
    self.live = live
    self.definitions = definitions
    self.intake = intake
    self.jobs = jobs
    self.tally = tally
    self.bodyLimit = bodyLimit
    contentLimit = Self.packing * bodyLimit
  }

  func run() {
    var polls = PollSet()
    polls.add(jobs.bell.number)
    var isRunning = true
    while isRunning {
      polls.wait(seconds: nil)
      // Each message is freed once handled: all bodies together take much memory.
      var messages = Array(identified(jobs.takeAll()).reversed())
      while let message = messages.popLast() {
        switch message {
        case .job(let job): see(to: job)
        case .lookUp: break
        case .stop: isRunning = false
        }
      }
      flush()
    }
    // Jobs that are dropped here answer that they failed.
    _ = jobs.shut()
  }

  // MARK: - Callers

  /// Notes who sent each request, and answers those of strangers. The intake is asked once for all,
  /// each time: a revoked token is worth nothing from then on.
  private func identified(_ messages: [Message]) -> [Message] {
    guard let fleet = intake as? any FleetIntake else { return messages }
    var hashes: Set<[UInt8]> = []
    for message in messages {
      switch message {
      case .job(let job): job.token.map { _ = hashes.insert($0) }
      case .lookUp(let token): hashes.insert(token)
      case .stop: break
      }
    }
    guard !hashes.isEmpty else { return messages }
    let callers: [[UInt8]: Caller]
    do throws(StoreError) {
      callers = try fleet.callers(withTokens: hashes)
      known.note(hashes, good: callers.keys)
    } catch {
      for case .job(let job) in messages { fail(job, error) }
      return messages.filter { if case .job = $0 { false } else { true } }
    }
    return messages.compactMap { message in
      guard case .job(var job) = message else { return message }
      guard let caller = job.token.flatMap({ callers[$0] }) else {
        tally.count { $0.strangers += 1 }
        job.reply.give(UploadAnswer.unauthorized("this token is not known here, or was revoked"))
        return nil
      }
      job.caller = caller
      guard let why = Self.refusal(of: job) else { return .job(job) }
      job.reply.give(UploadAnswer.error(403, "forbidden", why))
      return nil
    }
  }

  /// Why a caller may not do this; `nil` if it may.
  private static func refusal(of job: Job) -> String? {
    switch (job.caller, job.path) {
    case (.reader, _) where ["PUT", "POST"].contains(job.head.method):
      "this token may read, and store nothing"
    case (.gateway(let gateway), .definitions(let other)) where gateway != other:
      "this token is that of another gateway"
    case (.gateway, .live): "this token is a gateway's; readers have tokens of their own"
    default: nil
    }
  }

  /// Who reads: a reader may name the gateway, and then sees what that one sees.
  private func reader(of job: Job) throws(Refusal) -> Caller {
    guard let named = job.head.query.first(where: { $0.name == "gateway" }) else {
      return job.caller
    }
    guard let gateway = UniqueID(named.value) else {
      throw Refusal(400, "malformed", "'gateway' is an id, as 'footbridge fleet list' shows it")
    }
    switch job.caller {
    case .reader: return .gateway(gateway)
    case .anybody, .gateway(gateway): return job.caller
    case .gateway: throw Refusal(403, "forbidden", "this token is that of another gateway")
    }
  }

  /// The intake as a caller sees it.
  private func intake(of caller: Caller) -> any SessionIntake {
    (intake as? any FleetIntake)?.intake(of: caller) ?? intake
  }

  private func see(to job: Job) {
    var job = job
    do throws(Refusal) {
      switch (job.head.method, job.path) {
      case ("PUT", .chunk(let id)):
        let bytes = try content(of: &job)
        try wait(for: [ChunkBatch.Part(id: id, bytes: bytes)], job: job)
      case ("POST", .chunks):
        let parts = try parts(of: content(of: &job))
        try wait(for: parts, job: job)
      case ("PUT", .session(let id)):
        let record = try RecordBody.record(content(of: &job), id: id)
        flush()
        try store(job) { () throws(StoreError) in
          try intake(of: job.caller).store(record)
        } count: {
          $0.records += 1
        }
      case ("PUT", .track(let id, let first)):
        let piece = try RecordBody.piece(content(of: &job), session: id, first: first)
        flush()
        try store(job) { () throws(StoreError) in
          try intake(of: job.caller).store(piece)
        } count: {
          $0.pieces += 1
        }
      case (_, .live): follow(job)
      case (_, .definitions(let gateway)):
        job.reply.give(UploadAnswer.definitions(definitions, of: gateway, to: job.head))
      default:
        flush()
        let reader = try reader(of: job)
        guard try !give(chunkOfFleet: job, to: reader) else { return }
        try job.reply.give(read(job.path, job.head.query, from: intake(of: reader)))
      }
    } catch {
      if error.counts { tally.count { $0.refused += 1 } }
      job.reply.give(error.response)
    }
  }

  /// Takes the body out of a request and unpacks it, after checking its hash.
  private func content(of job: inout Job) throws(Refusal) -> [UInt8] {
    let body = job.body
    job.body = []
    let announced = job.head["content-digest"].flatMap { ContentDigest.sha256(in: $0) }
    guard SHA256.hash(of: body) == announced else {
      throw Refusal(
        400, "digest-mismatch",
        "the body is not what Content-Digest says: it was altered on the way", counts: false)
    }
    guard job.head["content-encoding"]?.lowercased() == "gzip" else { return body }
    do {
      return try Gzip.unpack(body, limit: contentLimit)
    } catch .tooLarge {
      throw Refusal(413, "too-large", "a body has \(contentLimit) bytes at most, unpacked")
    } catch {
      throw Refusal(400, "malformed", "the body is not whole gzip")
    }
  }

  // MARK: - Chunks

  private func parts(of body: [UInt8]) throws(Refusal) -> [ChunkBatch.Part] {
    do {
      return try ChunkBatch.parts(of: body)
    } catch .malformed(let reason) {
      throw Refusal(422, "not-a-batch", reason)
    } catch {
      throw Refusal(
        413, "too-large", "a batch has \(ChunkBatch.capacity) chunks at most", counts: false)
    }
  }

  /// Checks chunks and queues those that can be stored.
  private func wait(for parts: [ChunkBatch.Part], job: Job) throws(Refusal) {
    let findings = try findings(on: parts, from: job.caller)
    // The verdict on an id must precede the check of the next chunk with that id.
    let isRepeating = Set(parts.lazy.map(\.id)).count < parts.count
    if isRepeating || parts.contains(where: { waitingIDs.contains($0.id) }) { flush() }
    guard !isRepeating else { return storeSingly(parts, findings, job: job) }
    writes.append(
      Write(job: job, parts: zip(parts, findings).map { ($0.id, line(up: $1)) }))
    if waitingBytes >= Self.bytesTogether { flush() }
  }

  /// Stores a batch that contains an id twice: each chunk by itself, one after another.
  private func storeSingly(_ parts: [ChunkBatch.Part], _ findings: [Finding], job: Job) {
    var verdicts: [(id: UniqueID, verdict: ChunkVerdict)] = []
    do throws(StoreError) {
      for (part, finding) in zip(parts, findings) {
        switch line(up: finding) {
        case .settled(let verdict): verdicts.append((part.id, verdict))
        case .waiting(let index): verdicts.append((part.id, try storeWaiting()[index]))
        }
      }
      answer(job, verdicts)
    } catch {
      fail(job, error)
    }
  }

  /// Checks the parts of a request. Decodes one at a time, and keeps none of its samples.
  private func findings(
    on parts: [ChunkBatch.Part], from sender: Caller
  ) throws(Refusal) -> [Finding] {
    var numbers = 0
    var findings: [Finding] = []
    for part in parts {
      let chunk: Chunk
      do {
        chunk = try Chunk(decoding: part.bytes.span)
      } catch {
        findings.append(.refused(.refused(code: "not-a-chunk", "this is no chunk: \(error)")))
        continue
      }
      numbers += chunk.count * (chunk.columns.count + 2) + chunk.fixes.count * Self.numbersOfFix
      guard numbers <= Self.numbersTogether || parts.count == 1 else {
        throw Refusal(413, "too-large", "these are more samples than a batch has", counts: false)
      }
      guard chunk.id == part.id else {
        findings.append(
          .refused(
            .refused(code: "wrong-id", "this chunk has the id \(chunk.id), not \(part.id)")))
        continue
      }
      if let fault = chunk.stream.fault {
        findings.append(.refused(.refused(code: "not-a-chunk", "this is no chunk: \(fault)")))
        continue
      }
      findings.append(.chunk(ReceivedChunk(bytes: part.bytes, chunk: chunk, from: sender)))
    }
    return findings
  }

  /// Queues a chunk for storing, or settles a refused one.
  private func line(up finding: Finding) -> PartState {
    switch finding {
    case .refused(let verdict): return .settled(verdict)
    case .chunk(let chunk):
      chunks.append(chunk)
      waitingIDs.insert(chunk.id)
      waitingBytes += chunk.bytes.count + Self.bytesBesides
      return .waiting(chunks.count - 1)
    }
  }

  /// Stores all waiting chunks and answers their requests.
  private func flush() {
    guard !writes.isEmpty else { return }
    let writes = self.writes
    self.writes = []
    do throws(StoreError) {
      let verdicts = try storeWaiting()
      for write in writes {
        answer(
          write.job,
          write.parts.map { part in
            switch part.state {
            case .settled(let verdict): (part.id, verdict)
            case .waiting(let index): (part.id, verdicts[index])
            }
          })
      }
    } catch {
      for write in writes { fail(write.job, error) }
    }
  }

  /// Stores the waiting chunks and returns a verdict on each.
  private func storeWaiting() throws(StoreError) -> [ChunkVerdict] {
    let chunks = self.chunks
    self.chunks = []
    waitingIDs = []
    waitingBytes = 0
    guard !chunks.isEmpty else { return [] }
    let outcomes = try intake.store(chunks)
    precondition(outcomes.count == chunks.count, "an intake says what became of each chunk")
    var stored = 0
    var bytes = 0
    for (chunk, outcome) in zip(chunks, outcomes) where outcome == .stored {
      stored += 1
      bytes += chunk.bytes.count
    }
    tally.count {
      $0.stored += stored
      $0.storedBytes += bytes
    }
    var verdicts: [ChunkVerdict] = []
    for (chunk, outcome) in zip(chunks, outcomes) {
      switch outcome {
      case .stored, .replaced: verdicts.append(.stored)
      case .held: verdicts.append(.held)
      case .refused(let reason): verdicts.append(.refused(code: "conflict", reason))
      case .otherContent:
        verdicts.append(
          .conflict(held: try heldHash(of: chunk), sent: SHA256.hash(of: chunk.bytes)))
      }
    }
    return verdicts
  }

  private func heldHash(of chunk: ReceivedChunk) throws(StoreError) -> [UInt8] {
    if let fleet = intake as? any FleetIntake {
      return try fleet.hash(ofChunk: chunk.id, of: chunk.sender) ?? []
    }
    return SHA256.hash(of: try intake.chunk(chunk.id) ?? [])
  }

  private func answer(_ job: Job, _ verdicts: [(id: UniqueID, verdict: ChunkVerdict)]) {
    tally.count { counts in
      for (_, verdict) in verdicts {
        switch verdict {
        case .stored: break
        case .held: counts.held += 1
        case .conflict, .refused("conflict", _): counts.conflicts += 1
        case .refused: counts.refused += 1
        }
      }
    }
    if case .chunk = job.path, let verdict = verdicts.first?.verdict {
      job.reply.give(UploadAnswer.chunk(verdict, to: job.head))
    } else {
      job.reply.give(UploadAnswer.batch(verdicts, to: job.head))
    }
  }

  // MARK: - Records, tracks and queries

  private func store(
    _ job: Job, _ body: () throws(StoreError) -> IntakeVerdict,
    count: (inout IntakeCounts) -> Void
  ) throws(Refusal) {
    do {
      let outcome = try body()
      tally.count { counts in
        switch outcome {
        case .stored, .replaced: count(&counts)
        case .otherContent, .refused: counts.conflicts += 1
        case .held: break
        }
      }
      job.reply.give(UploadAnswer.item(outcome, to: job.head))
    } catch {
      fail(job, error)
    }
  }

  /// Answers the question for a chunk of a fleet; `false` if that is not the question. A chunk at
  /// another place is waited for elsewhere: nothing may hold up this thread.
  private func give(chunkOfFleet job: Job, to caller: Caller) throws(Refusal) -> Bool {
    guard case .chunk(let id) = job.path, let fleet = intake as? any FleetIntake else {
      return false
    }
    let held: HeldChunk?
    do throws(StoreError) {
      held = try fleet.heldChunk(id, of: caller)
    } catch {
      job.reply.give(UploadAnswer.failure(error))
      return true
    }
    switch held {
    case nil: throw Refusal.missing("chunk")
    case .bytes(let bytes): job.reply.give(UploadAnswer.chunk(bytes))
    case .elsewhere(let chunk): distant.give(chunk, to: job.reply)
    }
    return true
  }

  private func read(
    _ path: UploadPath, _ query: [RequestHead.Field], from intake: any SessionIntake
  ) throws(Refusal) -> ServerResponse {
    do {
      switch path {
      case .chunk(let id):
        guard let bytes = try intake.chunk(id) else { throw Refusal.missing("chunk") }
        return UploadAnswer.chunk(bytes)
      case .session(let id):
        guard let record = try intake.record(of: id) else { throw Refusal.missing("record") }
        return UploadAnswer.content(RecordBody.bytes(of: record), type: "application/json")
      case .track(let id, let first):
        guard let piece = try intake.track(of: id, from: first) else {
          throw Refusal.missing("piece of a track")
        }
        return UploadAnswer.content(RecordBody.bytes(of: piece), type: "application/json")
      case .sessions: return UploadAnswer.sessions(try sessions(query, in: intake))
      case .root: return UploadAnswer.greeting(bodyLimit: bodyLimit)
      case .chunks, .definitions, .live: throw Refusal.missing("address")
      }
    } catch let error as StoreError {
      return UploadAnswer.failure(error)
    } catch let error as Refusal {
      throw error
    } catch {
      throw Refusal.missing("item")
    }
  }

  /// The sessions that a query wants: all, or so many of the newest.
  private func sessions(
    _ query: [RequestHead.Field], in intake: any SessionIntake
  ) throws -> [HeldSession] {
    guard let newest = query.first(where: { $0.name == "newest" }) else {
      return try intake.sessions()
    }
    let digits = newest.value.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }), Int(newest.value) != 0
    else {
      throw Refusal(400, "malformed", "'newest' is a number of sessions, from 1 on")
    }
    return try intake.sessions(newest: Int(newest.value) ?? .max)
  }

  /// Answers with what the gateways tell of themselves, until the client has enough.
  private func follow(_ job: Job) {
    guard let live, case .reader = job.caller, let token = job.token else {
      return job.reply.give(
        UploadAnswer.error(404, "not-found", "this receiver does not follow the gateways"))
    }
    guard let stream = live.stream(forToken: token) else {
      return job.reply.give(
        UploadAnswer.error(
          503, "busy", "too many readers follow the gateways",
          fields: [RequestHead.Field("Retry-After", "10")]))
    }
    job.reply.give(
      ServerResponse(
        200,
        fields: [
          RequestHead.Field("Content-Type", "text/event-stream"),
          RequestHead.Field("Cache-Control", "no-store"),
          // A proxy that gathers an answer would hold events back.
          RequestHead.Field("X-Accel-Buffering", "no"),
        ]), stream)
  }

  private func fail(_ job: Job, _ error: StoreError) {
    tally.count {
      $0.failures += 1
      $0.lastFailure = error.message
    }
    job.reply.give(UploadAnswer.failure(error))
  }
}

/// The answer to a refused request.
struct Refusal: Error {
  var response: ServerResponse
  /// Whether the refusal counts as the sender's permanent fault.
  var counts: Bool

  init(_ status: Int, _ code: String, _ message: String, counts: Bool = true) {
    response = UploadAnswer.error(status, code, message)
    self.counts = counts
  }

  static func missing(_ what: String) -> Refusal {
    Refusal(404, "not-found", "no such \(what) is held", counts: false)
  }
}
