internal import ChunkFormat
internal import Cryptography
internal import HTTPServer
internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Values
internal import Zlib

/// The thread that answers requests: checks and stores their bodies, and reads what is held.
///
/// Chunks of requests that arrived while the thread was busy are stored together.
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

  /// The size limit of an unpacked body, as a multiple of that of a packed one. Records pack to a
  /// quarter.
  private static let packing = 3

  private let intake: any SessionIntake
  private let jobs: Mailbox<Message>
  private let tally: IntakeTally
  private let known: KnownTokens
  /// Bytes of an unpacked body at most.
  private let contentLimit: Int
  private let definitions: DefinitionsShelf?
  private let reading: IntakeReading
  private var queue: ChunkQueue

  init(
    _ intake: any SessionIntake, jobs: Mailbox<Message>, tally: IntakeTally, known: KnownTokens,
    bodyLimit: Int, definitions: DefinitionsShelf?, live: (any LiveSource)?
  ) {
    self.known = known
    self.definitions = definitions
    self.intake = intake
    self.jobs = jobs
    self.tally = tally
    contentLimit = Self.packing * bodyLimit
    reading = IntakeReading(intake, bodyLimit: bodyLimit, live: live)
    queue = ChunkQueue(intake, tally: tally)
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
      queue.flush()
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
      for case .job(let job) in messages { job.fail(error, tally) }
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

  private func see(to job: Job) {
    var job = job
    do throws(Refusal) {
      switch (job.head.method, job.path) {
      case ("PUT", .chunk(let id)):
        let bytes = try content(of: &job)
        try queue.add([ChunkBatch.Part(id: id, bytes: bytes)], of: job)
      case ("POST", .chunks):
        let parts = try parts(of: content(of: &job))
        try queue.add(parts, of: job)
      case ("PUT", .session(let id)):
        let record = try RecordBody.record(content(of: &job), id: id)
        queue.flush()
        try store(job) { () throws(StoreError) in
          try intake.asSeen(by: job.caller).store(record)
        } count: {
          $0.records += 1
        }
      case ("PUT", .track(let id, let first)):
        let piece = try RecordBody.piece(content(of: &job), session: id, first: first)
        queue.flush()
        try store(job) { () throws(StoreError) in
          try intake.asSeen(by: job.caller).store(piece)
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
      job.fail(error, tally)
    }
  }
}

extension IntakeThread.Job {
  /// Answers that the intake failed.
  func fail(_ error: StoreError, _ tally: IntakeTally) {
    tally.count {
      $0.failures += 1
      $0.lastFailure = error.message
    }
    reply.give(UploadAnswer.failure(error))
  }
}
