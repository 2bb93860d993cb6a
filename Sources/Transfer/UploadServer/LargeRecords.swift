internal import HTTPServer
internal import LinuxSystem
internal import Recording
internal import UploadProtocol

/// Decodes large records away from the storing thread, which others wait for: one record at a time,
/// with gateways taking turns.
struct LargeRecords {
  typealias Job = IntakeThread.Job

  /// Bytes from which a record counts as large, as sent.
  private static let large = 64 << 10
  /// The most records of one gateway that may wait, as many as it sends at a time; and the most of
  /// all where gateways have no tokens of their own.
  private static let most = (ofGateway: 4, ofAll: 8)

  private let jobs: Mailbox<IntakeThread.Message>
  private let decode: @Sendable (Job) -> Result<SessionRecord, Refusal>
  private var queue: [Job] = []
  private var current: Job?
  /// The sender of the record decoded last.
  private var last: Caller?

  /// A queue that posts each decoded record to this mailbox.
  init(
    _ jobs: Mailbox<IntakeThread.Message>,
    decode: @escaping @Sendable (Job) -> Result<SessionRecord, Refusal>
  ) {
    self.jobs = jobs
    self.decode = decode
  }

  /// Takes a request with a record. A small one is decoded at once instead.
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

  /// Starts on the next record after one was stored.
  mutating func finish() {
    current = nil
    begin()
  }

  /// Answers the waiting requests as the upload server stops.
  mutating func stop() {
    for job in queue { Self.refuse(job) }
    queue = []
  }

  private mutating func begin() {
    guard current == nil, !queue.isEmpty else { return }
    let job = queue.remove(at: queue.firstIndex { $0.caller != last } ?? 0)
    last = job.caller
    var known = job
    // The work frees its body.
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
