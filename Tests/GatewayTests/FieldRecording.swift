import BoardDriver
import DBus
import Gateway
import LinuxSystem
import Recording
import Simulation
import TestSupport
import Testing
import Values

extension DaemonPlan {
  /// Creates a plan for recording all boards of a world.
  init(in world: SimulatedWorld, store: String, scanSeconds: Double = 30) {
    self.init()
    recording.bus = world.bus
    recording.scanSeconds = scanSeconds
    boards = world.boards.map { ConfiguredBoard(name: "", address: $0.address) }
    self.store = store
  }
}

/// A recording in a simulated world, the recording's log events, and a check that every sample is
/// accounted for.
struct FieldRecording {
  let world: SimulatedWorld
  /// The boards' indices in the world, in the order of the recording.
  let places: [Int]
  let run: RecordingRun
  let log: Guarded<[LogEvent]>
  private let folder: TemporaryFolder
  private let task: Task<RecordingReport, any Error>
  /// The boards' counts before the recording.
  private let before: [BoardCounts]

  /// Returns a world whose daemon ends links quickly.
  static func world(
    boards: Int = 1, adapters: Int = 1, _ change: (inout DaemonSettings) -> Void = { _ in }
  ) throws -> SimulatedWorld {
    var daemon = DaemonSettings()
    daemon.graceSeconds = 0.1
    change(&daemon)
    return try SimulatedWorld(
      boards: boards, adapters: adapters, hasReceiver: false, daemon: daemon)
  }

  /// Starts recording boards of a world. The recording continues until it is stopped.
  init(_ world: SimulatedWorld, boards places: [Int] = [0], adapters: [Int] = []) throws {
    let folder = try TemporaryFolder()
    let log = Guarded<[LogEvent]>([])
    let run = try RecordingRun(
      RecordingPlan(
        bus: world.bus, adapters: adapters.map { world.adapters[$0] },
        boards: .addresses(places.map { world.boards[$0].address }), receiver: nil,
        store: folder.path + "/store.sqlite", scanSeconds: 30),
      log: { remark in log.withLock { $0.append(remark) } })
    self.world = world
    self.places = places
    self.run = run
    self.log = log
    self.folder = folder
    before = world.boardCounts
    task = Task { try await run.run() }
  }

  // MARK: Events

  // Copied under the lock: ThreadSanitizer cannot follow the reference count of a shared buffer.
  var remarks: [LogEvent] { log.withLock { $0.map { $0 } } }

  var events: [String] { remarks.map(\.event) }

  /// Returns the number of log entries for an event of one board.
  func count(_ event: String, of board: Int) -> Int {
    let address = world.boards[places[board]].address.description
    return remarks.count { remark in
      remark.event == event && remark.details.contains { $0.name == "board" && $0.value == address }
    }
  }

  /// Returns the values of one detail in all log entries for an event.
  func details(_ name: String, of event: String) -> [String] {
    remarks.filter { $0.event == event }
      .compactMap { remark in remark.details.first { $0.name == name }?.value }
  }

  private func received(_ board: Int) -> UInt64 {
    let address = world.boards[places[board]].address
    let live = run.liveStatus.boards.first { $0.identity.address == address }
    return live?.streams.map(\.received).min() ?? 0
  }

  /// Waits until each stream of these boards has received the given number of further samples.
  func stream(_ samples: UInt64 = 50, boards: [Int]? = nil) async throws {
    let boards = boards ?? Array(places.indices)
    let since = boards.map { received($0) }
    try await wait(for: "samples") {
      zip(boards, since).allSatisfy { received($0) >= $1 + samples }
    }
  }

  /// Waits until an event of a board has been logged the given number of times.
  func told(_ event: String, times: Int = 1, of board: Int = 0) async throws {
    try await wait(for: "\(event)") { count(event, of: board) >= times }
  }

  /// Waits for the radio to log an event.
  func told(ofRadio event: String) async throws {
    try await wait(for: "\(event)") { events.contains(event) }
  }

  /// Waits for a recording that ends on its own, and returns the recording's report.
  func end() async throws -> RecordingReport {
    return try await task.value
  }

  func stop() async throws -> RecordingReport {
    run.stop()
    return try await task.value
  }

  // MARK: Accounts

  /// Stops the recording, and compares the boards' counts with the stored and lost samples.
  func finish(at place: SourceLocation = #_sourceLocation) async throws -> RecordingReport {
    let report = try await stop()
    #expect(report.failure == nil, sourceLocation: place)
    for (number, index) in places.enumerated() {
      check(UInt16(number), world.boardCounts[index], report, place)
    }
    #expect(world.complaints.isEmpty, sourceLocation: place)
    return report
  }

  private func check(
    _ number: UInt16, _ counts: BoardCounts, _ report: RecordingReport, _ place: SourceLocation
  ) {
    let board = report.boards.first { $0.identity.address == counts.address }
    #expect(board?.failure == nil, sourceLocation: place)
    let earlier = before.first { $0.address == counts.address }
    let sent = counts.samples - (earlier?.samples ?? 0)
    let lost = counts.samplesLost - (earlier?.samplesLost ?? 0)
    // Each packet contains two samples. Packets that were left over from an earlier link are
    // counted as dropped.
    let dropped = 2 * UInt64(counts.dropped - (earlier?.dropped ?? 0))
    let strayed = 2 * (board?.diagnosis.counts[.strayedSample] ?? 0)
    let streams = report.totals.streams.filter { $0.board == number }
    #expect(streams.count == 2, sourceLocation: place)
    let stored = streams.reduce(0) { $0 + $1.stored }
    #expect(
      sent == stored + strayed + lost + dropped,
      "sent \(sent), stored \(stored), strayed \(strayed), lost \(lost), dropped \(dropped)",
      sourceLocation: place)
    #expect(counts.complaints.isEmpty, sourceLocation: place)
    for stream in streams {
      #expect(stream.stored == stream.received, sourceLocation: place)
      #expect(stream.duplicates == 0, sourceLocation: place)
      checkTime(stream, place)
    }
  }

  /// Checks the losses over time: for a board that never stops, stored and lost samples must add up
  /// to all samples due in that time.
  private func checkTime(_ stream: RecorderTotals.Stream, _ place: SourceLocation) {
    guard let first = stream.firstSample, let last = stream.lastSample else {
      Issue.record("a stream without samples", sourceLocation: place)
      return
    }
    let lost = stream.lost.values.reduce(0, +)
    let expected = last.seconds(since: first) * stream.description.rate
    let difference = Double(stream.stored + lost) - expected
    // The first packets of a link may arrive all at once, and be late by several packet intervals.
    #expect(
      abs(difference) < 4 + 0.01 * expected,
      "stored \(stream.stored), lost \(lost), expected \(expected)", sourceLocation: place)
  }
}
