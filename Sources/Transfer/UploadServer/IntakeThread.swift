internal import ChunkFormat
internal import Coding
internal import HTTPServer
internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Values

/// The thread that handles requests: it checks and stores their bodies, and reads stored data.
///
/// Chunks that arrived while the thread was busy are stored together. Large requests take turns:
/// after each of them, the thread handles all small requests that have arrived. Requests from a
/// sender that has kept the thread busy also take turns, because a few bytes may decode to a
/// million samples or request a long list.
final class IntakeThread {
  struct Job: Sendable {
    var head: RequestHead
    var path: UploadPath
    var body: [UInt8]
    var reply: PendingReply
    /// The hash of the request's token, if each caller has its own token.
    var token: [UInt8]?
    var caller = Caller.anybody

    /// Whether the request must wait for its turn, so that other requests never have to wait for
    /// several such requests in a row. Large records are decoded elsewhere.
    fileprivate var takesTurn: Bool {
      if case .session = path { return false }
      return body.count >= 1 << 20
    }

    /// The sender on whose behalf the request waits for its turn.
    fileprivate var sender: Sender {
      Sender(caller: caller, client: caller == .anybody ? head.client : nil)
    }
  }

  /// Identifies a gateway, or an address if gateways do not have individual tokens.
  fileprivate struct Sender: Hashable {
    var caller: Caller
    var client: ClientAddress?
  }

  enum Message: Sendable {
    case job(Job)
    /// A record was decoded on another thread.
    case record(Job, Result<SessionRecord, Refusal>)
    /// Look up whether the token with this hash is valid.
    case lookUp(token: [UInt8])
    case stop
  }

  /// The maximum size of a decompressed body, as a multiple of the maximum size of a compressed
  /// one. Records compress to a quarter of their size.
  private static let packing = 3

  private let intake: any SharedIntake
  private let jobs: Mailbox<Message>
  private let tally: IntakeTally
  private let known: KnownTokens
  /// The maximum size of a decompressed body, in bytes.
  private let contentLimit: Int
  private let definitions: DefinitionsShelf?
  private let reading: IntakeReading
  private var queue: ChunkQueue
  private var records: LargeRecords
  /// The number of seconds that the thread spends on a sender before that sender's requests must
  /// take turns. They take turns until no request is waiting.
  private let busySeconds: Double
  /// Requests that are waiting for their turn, in order of arrival.
  private var waiting: [Job] = []
  private var turns: [Sender: Int] = [:]
  private var turn = 0
  /// The number of seconds that the thread has spent on each sender since the queue of waiting
  /// requests was last empty.
  private var seconds: [Sender: Double] = [:]

  init(
    _ intake: any SharedIntake, jobs: Mailbox<Message>, tally: IntakeTally, known: KnownTokens,
    bodyLimit: Int, definitions: DefinitionsShelf?, live: LiveStreams?,
    busySeconds: Double = 0.2
  ) {
    self.known = known
    self.definitions = definitions
    self.busySeconds = busySeconds
    self.intake = intake
    self.jobs = jobs
    self.tally = tally
    contentLimit = Self.packing * bodyLimit
    reading = IntakeReading(intake, tally: tally, bodyLimit: bodyLimit, live: live)
    queue = ChunkQueue(intake, tally: tally)
    records = LargeRecords(jobs) { [contentLimit] in Self.record(in: $0, limit: contentLimit) }
  }

  func run() {
    var polls = PollSet()
    polls.add(jobs.bell.number)
    var isRunning = true
    while isRunning || !waiting.isEmpty {
      polls.wait(seconds: waiting.isEmpty ? nil : 0)
      // Each message is freed as soon as it is handled, because the bodies together take up a lot
      // of memory.
      var messages = Array(identified(jobs.takeAll()).reversed())
      while let message = messages.popLast() {
        switch message {
        case .job(let job) where job.takesTurn || isBusy(with: job.sender): waiting.append(job)
        case .job(let job): see(to: job)
        case .record(let job, let record):
          finish(job) { () throws(Refusal) in try self.store(record.get(), of: job) }
          records.finish()
        case .lookUp: break
        case .stop: isRunning = false
        }
      }
      queue.flush()
      takeTurn()
    }
    records.stop()
    // If a job is dropped here, its client receives an error.
    _ = jobs.shut()
  }

  private func isBusy(with sender: Sender) -> Bool {
    seconds[sender, default: 0] > busySeconds
  }

  /// Handles one of the requests that are waiting for their turn: the next one from the sender that
  /// has waited longest.
  private func takeTurn() {
    let next = waiting.indices.min { lastTurn(of: $0) < lastTurn(of: $1) }
    guard let next else {
      turns.removeAll()
      seconds.removeAll()
      return
    }
    let job = waiting.remove(at: next)
    turn += 1
    turns[job.sender] = turn
    see(to: job)
    queue.flush()
  }

  private func lastTurn(of place: Int) -> Int { turns[waiting[place].sender, default: 0] }

  // MARK: - Callers

  /// Determines each request's sender, and rejects requests with unknown tokens. The tokens of all
  /// messages are looked up together. This lookup is repeated each time, so that a revoked token
  /// stops working at once.
  private func identified(_ messages: [Message]) -> [Message] {
    var hashes: Set<[UInt8]> = []
    for message in messages {
      switch message {
      case .job(let job): job.token.map { _ = hashes.insert($0) }
      case .lookUp(let token): hashes.insert(token)
      case .record, .stop: break
      }
    }
    guard !hashes.isEmpty else { return messages }
    let callers: [[UInt8]: Caller]
    do throws(StoreError) {
      guard let known = try intake.callers(withTokens: hashes) else { return messages }
      callers = known
      self.known.note(hashes, good: callers.keys)
    } catch {
      for case .job(let job) in messages { job.fail(error, tally) }
      return messages.filter { if case .job = $0 { false } else { true } }
    }
    return messages.compactMap { message in
      guard case .job(var job) = message else { return message }
      guard let caller = job.token.flatMap({ callers[$0] }) else {
        tally.count { $0.strangers += 1 }
        job.reply.give(UploadAnswer.unknownToken)
        return nil
      }
      job.caller = caller
      guard let why = Self.refusal(of: job) else { return .job(job) }
      job.reply.give(UploadAnswer.error(403, "forbidden", why))
      return nil
    }
  }

  /// Returns the reason a caller may not make this request, or `nil` if the request is permitted.
  private static func refusal(of job: Job) -> String? {
    switch (job.caller, job.path) {
    case (.reader, _) where ["PUT", "POST"].contains(job.head.method):
      "this token permits reading only"
    case (.gateway(let gateway), .definitions(let other)) where gateway != other:
      "this token belongs to another gateway"
    case (.gateway, .live): "this is a gateway's token; use a reader's token"
    default: nil
    }
  }

  private func see(to job: Job) {
    let start = BootClock.now()
    defer { seconds[job.sender, default: 0] += BootClock.now().seconds(since: start) }
    finish(job) { () throws(Refusal) in try self.act(on: job) }
  }

  /// Performs a request. If it is rejected, sends the error response.
  private func finish(_ job: Job, _ body: () throws(Refusal) -> Void) {
    do throws(Refusal) {
      try body()
    } catch {
      if error.counts { tally.count { $0.refused += 1 } }
      job.reply.give(error.response)
    }
  }

  private func act(on job: Job) throws(Refusal) {
    var job = job
    switch (job.head.method, job.path) {
    case ("PUT", .chunk(let id)):
      let bytes = try Self.content(of: &job, limit: contentLimit)
      try queue.add([ChunkBatch.Part(id: id, bytes: bytes)], of: job)
    case ("POST", .chunks):
      let parts = try parts(of: Self.content(of: &job, limit: contentLimit))
      try queue.add(parts, of: job)
    case ("PUT", .session):
      guard !records.take(job) else { return }
      let record = Self.record(in: job, limit: contentLimit)
      try store(record.get(), of: job)
    case ("PUT", .track(let id, let first)):
      let piece = try RecordBody.piece(
        Self.content(of: &job, limit: contentLimit), session: id, first: first)
      queue.flush()
      try store(job, unfit: "not-a-track") { () throws(StoreError) in
        try intake.intake(of: job.caller).store(piece)
      } count: {
        $0.pieces += 1
      }
    case (_, .live): reading.follow(job)
    case (_, .definitions(let gateway)):
      job.reply.give(UploadAnswer.definitions(definitions, of: gateway, to: job.head))
    default:
      queue.flush()
      try reading.see(to: job)
    }
  }

  /// Decodes the record in a request. Can be called on any thread.
  private static func record(in job: Job, limit: Int) -> Result<SessionRecord, Refusal> {
    guard case .session(let id) = job.path else { return .failure(.missing("address")) }
    var job = job
    do throws(Refusal) {
      return .success(try RecordBody.record(content(of: &job, limit: limit), id: id))
    } catch {
      return .failure(error)
    }
  }

  private func store(_ record: SessionRecord, of job: Job) throws(Refusal) {
    queue.flush()
    try store(job, unfit: "not-a-record") { () throws(StoreError) in
      try intake.intake(of: job.caller).store(record)
    } count: {
      $0.records += 1
    }
  }

  /// Checks the hash of a request's body, then removes the body from the request and decompresses
  /// it.
  private static func content(of job: inout Job, limit: Int) throws(Refusal) -> [UInt8] {
    let body = job.body
    job.body = []
    let announced = job.head["content-digest"].flatMap { ContentDigest.sha256(in: $0) }
    guard SHA256.hash(of: body) == announced else {
      throw Refusal(
        400, "digest-mismatch",
        "the body does not match Content-Digest: it was altered in transit", counts: false)
    }
    guard job.head["content-encoding"]?.lowercased() == "gzip" else { return body }
    do {
      return try Gzip.unpack(body, limit: limit)
    } catch .tooLarge {
      throw Refusal(413, "too-large", "the unpacked body is larger than \(limit) bytes")
    } catch {
      throw Refusal(400, "malformed", "the body is not complete gzip data")
    }
  }

  private func parts(of body: [UInt8]) throws(Refusal) -> [ChunkBatch.Part] {
    do {
      return try ChunkBatch.parts(of: body)
    } catch .malformed(let reason) {
      throw Refusal(422, "not-a-batch", reason)
    } catch {
      throw Refusal(
        413, "too-large", "the batch has more than \(ChunkBatch.capacity) chunks", counts: false)
    }
  }

  private func store(
    _ job: Job, unfit code: String, _ body: () throws(StoreError) -> IntakeVerdict,
    count: (inout IntakeCounts) -> Void
  ) throws(Refusal) {
    do {
      let outcome = try body()
      tally.count { counts in
        switch outcome {
        case .stored, .replaced: count(&counts)
        case .otherContent, .refused: counts.conflicts += 1
        case .unfit: counts.refused += 1
        case .held: break
        }
      }
      job.reply.give(UploadAnswer.item(outcome, to: job.head, unfit: code))
    } catch {
      job.fail(error, tally)
    }
  }
}

extension IntakeThread.Job {
  /// Sends the client an error response after the intake failed.
  func fail(_ error: StoreError, _ tally: IntakeTally) {
    tally.count(error)
    reply.give(UploadAnswer.failure(error))
  }
}
