internal import LinuxSystem
public import MetaWearProtocol

/// Performs what a board's session says: writes, waits, routes streams, and reports.
public actor BoardRunner {
  /// What the runner tells its owner.
  public enum Report: Sendable {
    /// The board is set up for these streams and waits for `start`.
    case ready(Model, firmware: String, [BoardStream])
    /// Its sensors run.
    case running
    /// For the log.
    case remark(String)
  }

  private let link: any Link
  private let reader: ReaderThread
  private let board: UInt16
  private let report: @Sendable (Report) async -> Void
  private let events: AsyncStream<BoardSession.Event>
  private let post: AsyncStream<BoardSession.Event>.Continuation
  private var session: BoardSession
  private var timer: Task<Void, Never>?
  private var writes = 0

  /// A runner for the board with this number in the session, over a link that is up.
  public init(
    board: UInt16, link: any Link, reader: ReaderThread, sensors: [SensorRequest],
    report: @escaping @Sendable (Report) async -> Void
  ) {
    self.board = board
    self.link = link
    self.reader = reader
    self.report = report
    session = BoardSession(sensors)
    (events, post) = AsyncStream.makeStream()
  }

  /// Lets the sensors run, once the board is ready.
  public nonisolated func start() {
    post.yield(.start)
  }

  /// Asks the session to end in order; `run` returns when it has.
  public nonisolated func stop() {
    post.yield(.stop)
  }

  /// Brings the board to streaming and keeps it there until `stop`, then ends the link: what was
  /// received, and what kept the board from streaming or from stopping in order, if anything did.
  public func run() async -> (counts: ReaderCounts, failure: (any Error)?) {
    defer { timer?.cancel() }
    var failure: (any Error)?
    do {
      let information = try await link.readInformation()
      let descriptor = try await link.subscribe()
      reader.attach(board, descriptor) { [post] event in
        switch event {
        case .packet(let bytes): post.yield(.packet(bytes))
        case .hungUp: post.yield(.linkLost)
        }
      }
      post.yield(.subscribed(information))
      try await performEvents()
    } catch let error {
      failure = error
    }
    return (await end(), failure)
  }

  /// The reader lets go first: what the link's end does to the descriptor is then no loss.
  private func end() async -> ReaderCounts {
    let counts = await reader.detach(board)
    await link.disconnect()
    return counts
  }

  private func performEvents() async throws {
    for await event in events {
      for action in session.handle(event) {
        switch action {
        case .write(let command, let acknowledged):
          try await write(command, acknowledged: acknowledged)
        case .wait(let seconds):
          wait(seconds)
        case .cancelWait:
          timer?.cancel()
        case .ready(let model, let firmware, let streams):
          reader.route(board, streams)
          await report(.ready(model, firmware: firmware, streams))
        case .running:
          await report(.running)
        case .remark(let text):
          await report(.remark(text))
        case .finished:
          return
        case .failed(let failure):
          throw failure
        }
      }
    }
  }

  /// Commands are queued without a limit by the daemon, so every ninth is an acknowledged one that
  /// holds the others back.
  private func write(_ command: Command, acknowledged: Bool) async throws {
    writes += 1
    try await link.write(command, acknowledged: acknowledged || writes % 9 == 0)
  }

  private func wait(_ seconds: Double) {
    timer?.cancel()
    timer = Task { [post] in
      try? await Task.sleep(for: .seconds(seconds))
      if !Task.isCancelled { post.yield(.timeout) }
    }
  }
}
