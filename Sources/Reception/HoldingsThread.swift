internal import ChunkFormat
internal import Cryptography
internal import HTTPServer
internal import Interchange
internal import LinuxSystem
internal import Recording

/// The life of the thread that checks what came and stores it.
///
/// Chunks of requests that came while it was busy are stored together, so that they share one sync.
final class HoldingsThread {
  /// A request to see to.
  struct Job: Sendable {
    var head: RequestHead
    var path: UploadPath
    var body: [UInt8]
    var reply: PendingReply
  }

  /// What is told to the thread.
  enum Message: Sendable {
    case job(Job)
    case stop
  }

  /// Chunks of one request, waiting to be stored.
  private struct Write {
    var job: Job
    /// The verdict on each, or which of the waiting chunks it depends on.
    var parts: [(id: UniqueID, state: PartState)]
  }

  private enum PartState {
    case settled(ChunkVerdict)
    case waiting(Int)
  }

  /// Bytes stored together at most, so that the first of them need not wait long.
  private static let bytesTogether = 8 << 20

  private let holdings: any Holdings
  private let jobs: Mailbox<Message>
  private let counted: Guarded<ReceptionCounts>
  private let bodyLimit: Int

  private var writes: [Write] = []
  private var chunks: [ReceivedChunk] = []
  private var waitingIDs: Set<UniqueID> = []
  private var waitingBytes = 0

  init(
    _ holdings: any Holdings, jobs: Mailbox<Message>, counted: Guarded<ReceptionCounts>,
    bodyLimit: Int
  ) {
    self.holdings = holdings
    self.jobs = jobs
    self.counted = counted
    self.bodyLimit = bodyLimit
  }

  func run() {
    var polls = PollSet()
    polls.add(jobs.bell.number)
    var isRunning = true
    while isRunning {
      polls.wait(seconds: nil)
      for message in jobs.takeAll() {
        switch message {
        case .job(let job): see(to: job)
        case .stop: isRunning = false
        }
      }
      flush()
    }
    // Their replies, when they are let go, say that it failed.
    _ = jobs.shut()
  }

  private func see(to job: Job) {
    do throws(Refusal) {
      switch (job.head.method, job.path) {
      case ("PUT", .chunk(let id)): try put(content(of: job), id: id, job: job)
      case ("POST", .chunks): try post(content(of: job), job: job)
      case ("PUT", .session(let id)):
        let record = try RecordBody.record(content(of: job), id: id)
        flush()
        try store(job) { () throws(HoldingsError) in
          try holdings.store(record)
        } count: {
          $0.records += 1
        }
      case ("PUT", .track(let id, let first)):
        let piece = try RecordBody.piece(content(of: job), session: id, first: first)
        flush()
        try store(job) { () throws(HoldingsError) in
          try holdings.store(piece)
        } count: {
          $0.pieces += 1
        }
      default:
        flush()
        try job.reply.give(read(job.path))
      }
    } catch {
      if error.counts { counted.withLock { $0.refused += 1 } }
      job.reply.give(error.response)
    }
  }

  /// The body as it was before it was packed, if its hash is right.
  private func content(of job: Job) throws(Refusal) -> [UInt8] {
    let announced = job.head["content-digest"].flatMap { ContentDigest.sha256(in: $0) }
    guard SHA256.hash(of: job.body) == announced else {
      throw Refusal(
        400, "digest-mismatch",
        "the body is not what Content-Digest says: it was altered on the way", counts: false)
    }
    guard job.head["content-encoding"]?.lowercased() == "gzip" else { return job.body }
    do {
      return try GzippedBody.unpack(job.body, limit: bodyLimit)
    } catch .tooLarge {
      throw Refusal(413, "too-large", "a body has \(bodyLimit) bytes at most, unpacked")
    } catch {
      throw Refusal(400, "malformed", "the body is not whole gzip")
    }
  }

  // MARK: - Chunks

  private func put(_ bytes: [UInt8], id: UniqueID, job: Job) throws(Refusal) {
    wait(for: [ChunkBatch.Part(id: id, bytes: bytes)], job: job)
  }

  private func post(_ bytes: [UInt8], job: Job) throws(Refusal) {
    do {
      wait(for: try ChunkBatch.parts(of: bytes), job: job)
    } catch {
      throw Refusal(422, "not-a-batch", error.description)
    }
  }

  /// Looks at chunks and lines up what can be stored.
  private func wait(for parts: [ChunkBatch.Part], job: Job) {
    var job = job
    job.body = []
    // What became of one id is said before the next one with it is looked at.
    let isRepeating = Set(parts.lazy.map(\.id)).count < parts.count
    if isRepeating || parts.contains(where: { waitingIDs.contains($0.id) }) { flush() }
    guard !isRepeating else { return storeSingly(parts, job: job) }
    writes.append(Write(job: job, parts: parts.map { ($0.id, line(up: $0)) }))
    if waitingBytes >= Self.bytesTogether { flush() }
  }

  /// Stores a batch in which an id comes twice: each chunk by itself, one after the other.
  private func storeSingly(_ parts: [ChunkBatch.Part], job: Job) {
    var verdicts: [(id: UniqueID, verdict: ChunkVerdict)] = []
    do throws(HoldingsError) {
      for part in parts {
        switch line(up: part) {
        case .settled(let verdict): verdicts.append((part.id, verdict))
        case .waiting(let index): verdicts.append((part.id, try storeWaiting()[index]))
        }
      }
      answer(job, verdicts)
    } catch {
      fail(job, error)
    }
  }

  /// What can be said of a chunk, which is lined up if it can be stored.
  private func line(up part: ChunkBatch.Part) -> PartState {
    let chunk: Chunk
    do {
      chunk = try Chunk(decoding: part.bytes.span)
    } catch {
      return .settled(.refused(code: "not-a-chunk", "this is no chunk: \(error)"))
    }
    guard chunk.id == part.id else {
      return .settled(
        .refused(code: "wrong-id", "this chunk has the id \(chunk.id), not \(part.id)"))
    }
    chunks.append(ReceivedChunk(bytes: part.bytes, chunk: chunk))
    waitingIDs.insert(part.id)
    waitingBytes += part.bytes.count
    return .waiting(chunks.count - 1)
  }

  /// Stores all that waits and answers.
  private func flush() {
    guard !writes.isEmpty else { return }
    let writes = self.writes
    self.writes = []
    do throws(HoldingsError) {
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

  /// Stores the chunks that wait: what became of each.
  private func storeWaiting() throws(HoldingsError) -> [ChunkVerdict] {
    let chunks = self.chunks
    self.chunks = []
    waitingIDs = []
    waitingBytes = 0
    guard !chunks.isEmpty else { return [] }
    let outcomes = try holdings.store(chunks)
    precondition(outcomes.count == chunks.count, "holdings say what became of each chunk")
    var stored = 0
    var bytes = 0
    for (chunk, outcome) in zip(chunks, outcomes) where outcome == .stored {
      stored += 1
      bytes += chunk.bytes.count
    }
    counted.withLock {
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
        let held = try holdings.chunk(chunk.chunk.id) ?? []
        verdicts.append(
          .conflict(held: SHA256.hash(of: held), sent: SHA256.hash(of: chunk.bytes)))
      }
    }
    return verdicts
  }

  private func answer(_ job: Job, _ verdicts: [(id: UniqueID, verdict: ChunkVerdict)]) {
    counted.withLock { counts in
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
      job.reply.give(ReceptionAnswer.chunk(verdict))
    } else {
      job.reply.give(ReceptionAnswer.batch(verdicts))
    }
  }

  // MARK: - Records, tracks and questions

  private func store(
    _ job: Job, _ body: () throws(HoldingsError) -> IntakeVerdict,
    count: (inout ReceptionCounts) -> Void
  ) throws(Refusal) {
    do {
      let outcome = try body()
      counted.withLock { counts in
        switch outcome {
        case .stored, .replaced: count(&counts)
        case .otherContent, .refused: counts.conflicts += 1
        case .held: break
        }
      }
      job.reply.give(ReceptionAnswer.item(outcome))
    } catch {
      fail(job, error)
    }
  }

  private func read(_ path: UploadPath) throws(Refusal) -> ServerResponse {
    do {
      switch path {
      case .chunk(let id):
        guard let bytes = try holdings.chunk(id) else { throw Refusal.missing("chunk") }
        return answer(bytes, type: "application/vnd.footbridge.chunk")
      case .session(let id):
        guard let record = try holdings.record(of: id) else { throw Refusal.missing("record") }
        return answer(RecordBody.bytes(of: record), type: "application/json")
      case .track(let id, let first):
        guard let piece = try holdings.track(of: id, from: first) else {
          throw Refusal.missing("piece of a track")
        }
        return answer(RecordBody.bytes(of: piece), type: "application/json")
      case .sessions:
        return ReceptionAnswer.json(
          200,
          [
            "sessions": .array(
              try holdings.sessions().map {
                [
                  "id": .string("\($0.id)"), "chunks": .integer(Int64($0.chunks)),
                  "fixes": .integer(Int64($0.fixes)), "record": .bool($0.hasRecord),
                ]
              })
          ])
      case .root, .chunks: throw Refusal.missing("address")
      }
    } catch let error as HoldingsError {
      return ReceptionAnswer.failure(error)
    } catch let error as Refusal {
      throw error
    } catch {
      throw Refusal.missing("item")
    }
  }

  private func answer(_ bytes: [UInt8], type: String) -> ServerResponse {
    let hash = SHA256.hash(of: bytes)
    return ServerResponse(
      200,
      fields: [
        RequestHead.Field("Content-Type", type),
        RequestHead.Field("ETag", "\"\(SHA256.text(hash))\""),
        RequestHead.Field("Content-Digest", ContentDigest.text(hash)),
        RequestHead.Field("Repr-Digest", ContentDigest.text(hash)),
      ], body: bytes)
  }

  private func fail(_ job: Job, _ error: HoldingsError) {
    counted.withLock {
      $0.failures += 1
      $0.lastFailure = error.description
    }
    job.reply.give(ReceptionAnswer.failure(error))
  }
}

/// Why a request is turned away.
struct Refusal: Error {
  var response: ServerResponse
  /// Whether it is the sender's fault for good.
  var counts: Bool

  init(_ status: Int, _ code: String, _ message: String, counts: Bool = true) {
    response = ReceptionAnswer.error(status, code, message)
    self.counts = counts
  }

  static func missing(_ what: String) -> Refusal {
    Refusal(404, "not-found", "no such \(what) is held", counts: false)
  }
}
