internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// Replays the sentences in a file as if they came from a receiver.
///
/// Each fix is delivered when it is due, but its UTC time remains the recorded one.
struct FileFeed: ~Copyable, PositionFeed {
  private let path: String
  private var reader: NMEAReader
  private var pace: ReplayPace
  private var fixes = FixWatch()
  private var file: OwnedDescriptor?
  private var problem: ReceiverProblem?
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  /// Reports that were read from the file but are not due yet.
  private var waiting: [PositionReport] = []
  private var position = 0
  /// Time at which the next waiting report is due, or `nil` until it is scheduled.
  private var due: BootTime?

  init(_ replay: PositionSource.Replay) {
    path = replay.path
    reader = NMEAReader(floor: replay.floor, isLive: false)
    pace = ReplayPace(isHurried: replay.isHurried)
    // Opening or reading a pipe could block forever, so the kind of file is checked first.
    problem = PositionSource.file(replay).obstacle
    do throws(SystemError) {
      if problem == nil { file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnly) }
    } catch {
      problem = .file(error)
    }
    if file == nil { fixes.become(.ended) }
  }

  var state: ReceiverState { fixes.state }

  var descriptor: Int32 { PollSet.nobody }

  func wait(at now: BootTime) -> Double {
    [due, fixes.due].compactMap { $0?.seconds(since: now) }.min() ?? .infinity
  }

  mutating func work(at now: BootTime, into reports: inout [PositionReport]) {
    // A limit on the number of reports per round lets the consumer keep up when a file is replayed
    // as fast as possible.
    for _ in 0..<256 {
      guard let report = nextReport() else { break }
      let due = self.due ?? pace.due(report, at: now)
      self.due = due
      guard due <= now else { break }
      let arriving = report.arriving(at: due)
      reports.append(arriving)
      fixes.reported(arriving, at: due)
      position += 1
      self.due = nil
    }
    if file == nil, position == waiting.count { fixes.become(.ended) } else { fixes.pass(at: now) }
  }

  mutating func take(at now: BootTime, into reports: inout [PositionReport]) {}

  mutating func finish(into reports: inout [PositionReport]) {}

  func describe(_ status: inout ReceiverStatus) {
    SentenceTally().describe(&status, with: reader.counts)
    status.addedEras = reader.addedEras
    status.time = reader.time
    status.sky = reader.sky
    status.device = path
    status.problem = problem
  }

  /// Returns the first report that is waiting to be delivered. If there is none, first reads more
  /// of the file.
  private mutating func nextReport() -> PositionReport? {
    while position == waiting.count, let count = file?.read(into: &buffer) {
      var reports: [PositionReport] = []
      if count > 0 {
        let bytes = Array(buffer[..<count])
        reader.receive(bytes.span, at: BootTime(nanoseconds: 0)) { reports.append($0) }
      } else {
        reader.flush { reports.append($0) }
        if count < 0 { problem = .file(SystemError("read \(path)", number: Int32(-count))) }
        file = nil
      }
      waiting = reports
      position = 0
    }
    return position < waiting.count ? waiting[position] : nil
  }
}

extension PositionReport {
  fileprivate func arriving(at time: BootTime) -> PositionReport {
    switch self {
    case .fix(var fix):
      fix.arrival = time
      return .fix(fix)
    case .noFix: return .noFix(arrival: time)
    }
  }
}
