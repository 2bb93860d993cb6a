internal import HTTPServer
internal import LinuxSystem
internal import Recording
internal import UploadProtocol

/// Decodes large records on a separate thread, so that other requests need not wait. Records are
/// decoded one at a time, and gateways take turns.
struct LargeRecords {
  typealias Job = IntakeThread.Job

  /// A large record's minimum size in bytes, before decompression.
  private static let large = 64 << 10
  /// The maximum number of waiting records. The limit per gateway is the number of records that a
  /// gateway sends concurrently. The total limit takes effect if gateways do not have individual
  /// tokens.
  private static let most = (ofGateway: 4, ofAll: 8)

  private let jobs: Mailbox<IntakeThread.Message>
  private let decode: @Sendable (Job) -> Result<SessionRecord, Refusal>
  private var queue: [Job] = []
  private var current: Job?
  /// The sender of the record whose decoding started last.
  private var last: Caller?

  /// Creates a queue that posts each decoded record to this mailbox.
  init(
    _ jobs: Mailbox<IntakeThread.Message>,
    decode: @escaping @Sendable (Job) -> Result<SessionRecord, Refusal>
  ) {
    self.jobs = jobs
    self.decode = decode
  }

  /// Queues a request that contains a large record, or rejects the request if too many are waiting.
  /// Returns `false` if the record is small.
  mutating func take(_ job: Job) -> Bool {
    guard job.body.count >= Self.large else { return false }
    let waiting = [current].compactMap(\.self) + queue
    let isFull =
      job.caller == .anybody
      ? waiting.count >= Self.most.ofAll
      : waiting.count { $0.caller == job.caller } >= Self.most.ofGateway
    guard !isFull else {
      job.reply.give(
        UploadAnswer.error(
          503, "busy", "other records are being read",
          fields: [RequestHead.Field("Retry-After", "2")]))
      return true
    }
    queue.append(job)
    begin()
    return true
  }

  /// Called after a decoded record was stored or rejected. Starts decoding the next one.
  mutating func finish() {
    current = nil
    begin()
  }

  /// Rejects the waiting requests, because the upload server is stopping.
  mutating func stop() {
    for job in queue { Self.refuse(job) }
    queue = []
  }

  private mutating func begin() {
    guard current == nil, !queue.isEmpty else { return }
    let job = queue.remove(at: queue.firstIndex { $0.caller != last } ?? 0)
    last = job.caller
    var known = job
    // The decoding task frees the request's body.
    known.body = []
    current = known
    Task { [jobs, decode] in
      let record = decode(job)
      var job = job
      job.body = []
      if !jobs.post(.record(job, record)) { Self.refuse(job) }
    }
  }

  private static func refuse(_ job: Job) {
    job.reply.give(
      UploadAnswer.error(
        503, "stopping", "the upload server is stopping",
        fields: [RequestHead.Field("Retry-After", "10")]))
  }
}
