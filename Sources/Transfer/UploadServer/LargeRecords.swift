internal import HTTPServer
internal import LinuxSystem
internal import Recording
internal import UploadProtocol

/// Decodes large records away from the storing thread, which others wait for: one record at a time,
/// those of several gateways in turns.
struct LargeRecords {
  /// A request with a record.
  typealias Job = IntakeThread.Job

  /// Bytes of a body from which a record counts as large, as it is sent.
  private static let large = 64 << 10
  /// Records of a gateway that may wait, as many as it sends at a time, and of all where gateways
  /// are not told apart.
  private static let most = (ofGateway: 4, ofAll: 8)

  private let jobs: Mailbox<IntakeThread.Message>
  private let decode: @Sendable (Job) -> Result<SessionRecord, Refusal>
  private var queue: [Job] = []
  private var current: Job?
  /// Whose record was decoded last.
  private var last: Caller?

  /// A queue that posts each record to this mailbox.
  init(
    _ jobs: Mailbox<IntakeThread.Message>,
    decode: @escaping @Sendable (Job) -> Result<SessionRecord, Refusal>
  ) {
    self.jobs = jobs
    self.decode = decode
  }

  /// Takes a request with a record, unless that is small: it is then decoded at once.
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

  /// Goes on with the next record after one was stored.
  mutating func finish() {
    current = nil
    begin()
  }

  /// Answers those that wait: the upload server ends.
  mutating func stop() {
    for job in queue { Self.refuse(job) }
    queue = []
  }

  private mutating func begin() {
    guard current == nil, !queue.isEmpty else { return }
    let job = queue.remove(at: queue.firstIndex { $0.caller != last } ?? 0)
    last = job.caller
    var known = job
    // Its body goes with the work.
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
        503, "stopping", "the upload server is being stopped",
        fields: [RequestHead.Field("Retry-After", "10")]))
  }
}
