internal import ChunkFormat
internal import Cryptography
internal import HTTPServer
internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Values
internal import Zlib

/// The life of the thread that checks and stores the bodies of requests.
///
/// Chunks of requests that came while it was busy are stored together, so that they share one sync.
final class IntakeThread {
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

  /// What a part of a request was found to be.
  private enum Finding {
    case chunk(ReceivedChunk)
    case refused(ChunkVerdict)
  }

  private enum PartState {
    case settled(ChunkVerdict)
    case waiting(Int)
  }

  /// Bytes stored together at most, so that the first of them need not wait long.
  private static let bytesTogether = 8 << 20
  /// Bytes that a chunk takes besides its own while it waits.
  private static let bytesBesides = 1_024
  /// Numbers that are decoded for one request at most, so that others need not wait long. A fix
  /// counts as many.
  private static let numbersTogether = 1 << 24
  private static let numbersOfFix = 20
  /// How much more may be in a packed body than in a plain one. Records pack to a quarter.
  private static let packing = 3

  private let intake: any SessionIntake
  private let jobs: Mailbox<Message>
  private let tally: IntakeTally
  /// Bytes of a body after it was unpacked.
  private let contentLimit: Int

  private var writes: [Write] = []
  private var chunks: [ReceivedChunk] = []
  private var waitingIDs: Set<UniqueID> = []
  private var waitingBytes = 0

  init(
    _ intake: any SessionIntake, jobs: Mailbox<Message>, tally: IntakeTally, bodyLimit: Int
  ) {
    self.intake = intake
    self.jobs = jobs
    self.tally = tally
    contentLimit = Self.packing * bodyLimit
  }

  func run() {
    var polls = PollSet()
    polls.add(jobs.bell.number)
    var isRunning = true
    while isRunning {
      polls.wait(seconds: nil)
      // Each goes when it was seen to: their bodies together are much memory.
      var messages = Array(jobs.takeAll().reversed())
      while let message = messages.popLast() {
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
          try intake.store(record)
        } count: {
          $0.records += 1
        }
      case ("PUT", .track(let id, let first)):
        let piece = try RecordBody.piece(content(of: &job), session: id, first: first)
        flush()
        try store(job) { () throws(StoreError) in
          try intake.store(piece)
        } count: {
          $0.pieces += 1
        }
      default:
        flush()
        try job.reply.give(read(job.path))
      }
    } catch {
      if error.counts { tally.count { $0.refused += 1 } }
      job.reply.give(error.response)
    }
  }

  /// Takes the body out of a request, as it was before it was packed, if its hash is right.
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

  /// Looks at chunks and lines up what can be stored.
  private func wait(for parts: [ChunkBatch.Part], job: Job) throws(Refusal) {
    let findings = try findings(on: parts)
    // The verdict on one id is given before the next chunk with it is looked at.
    let isRepeating = Set(parts.lazy.map(\.id)).count < parts.count
    if isRepeating || parts.contains(where: { waitingIDs.contains($0.id) }) { flush() }
    guard !isRepeating else { return storeSingly(parts, findings, job: job) }
    writes.append(
      Write(job: job, parts: zip(parts, findings).map { ($0.id, line(up: $1)) }))
    if waitingBytes >= Self.bytesTogether { flush() }
  }

  /// Stores a batch in which an id comes twice: each chunk by itself, one after the other.
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

  /// What the parts of a request are. One is decoded at a time, and nothing of its samples is kept.
  private func findings(on parts: [ChunkBatch.Part]) throws(Refusal) -> [Finding] {
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
      findings.append(.chunk(ReceivedChunk(bytes: part.bytes, chunk: chunk)))
    }
    return findings
  }

  /// Lines up what can be stored.
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

  /// Stores all that waits and answers.
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

  /// Stores the chunks that wait: a verdict on each.
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
        let held = try intake.chunk(chunk.id) ?? []
        verdicts.append(
          .conflict(held: SHA256.hash(of: held), sent: SHA256.hash(of: chunk.bytes)))
      }
    }
    return verdicts
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

  // MARK: - Records, tracks and questions

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

  private func read(_ path: UploadPath) throws(Refusal) -> ServerResponse {
    do {
      switch path {
      case .chunk(let id):
        guard let bytes = try intake.chunk(id) else { throw Refusal.missing("chunk") }
        return answer(bytes, type: "application/vnd.footbridge.chunk")
      case .session(let id):
        guard let record = try intake.record(of: id) else { throw Refusal.missing("record") }
        return answer(RecordBody.bytes(of: record), type: "application/json")
      case .track(let id, let first):
        guard let piece = try intake.track(of: id, from: first) else {
          throw Refusal.missing("piece of a track")
        }
        return answer(RecordBody.bytes(of: piece), type: "application/json")
      case .sessions:
        return UploadAnswer.json(
          200,
          [
            "sessions": .array(
              try intake.sessions().map {
                [
                  "id": .string("\($0.id)"), "chunks": .integer(Int64($0.chunks)),
                  "fixes": .integer(Int64($0.fixes)), "record": .bool($0.hasRecord),
                ]
              })
          ])
      case .root, .chunks: throw Refusal.missing("address")
      }
    } catch let error as StoreError {
      return UploadAnswer.failure(error)
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
        RequestHead.Field("ETag", "\"\(Hexadecimal.text(hash))\""),
        RequestHead.Field("Content-Digest", ContentDigest.text(hash)),
        RequestHead.Field("Repr-Digest", ContentDigest.text(hash)),
      ], body: bytes)
  }

  private func fail(_ job: Job, _ error: StoreError) {
    tally.count {
      $0.failures += 1
      $0.lastFailure = error.message
    }
    job.reply.give(UploadAnswer.failure(error))
  }
}

/// Why a request is turned away.
struct Refusal: Error {
  var response: ServerResponse
  /// Whether it is the sender's fault for good.
  var counts: Bool

  init(_ status: Int, _ code: String, _ message: String, counts: Bool = true) {
    response = UploadAnswer.error(status, code, message)
    self.counts = counts
  }

  static func missing(_ what: String) -> Refusal {
    Refusal(404, "not-found", "no such \(what) is held", counts: false)
  }
}
