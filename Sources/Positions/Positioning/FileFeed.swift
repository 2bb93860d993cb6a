internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// The sentences of a file, replayed as from a receiver.
///
/// Each fix arrives when it is due; its time is the one in the file.
struct FileFeed: ~Copyable, PositionFeed {
  private let path: String
  private var reader: NMEAReader
  private var pace: ReplayPace
  private var fixes = FixWatch()
  private var file: OwnedDescriptor?
  private var problem: ReceiverProblem?
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  /// Reports that were read but are not due yet.
  private var waiting: [PositionReport] = []
  private var position = 0
  /// Time at which the first waiting report is due.
  private var due: BootTime?

  init(_ replay: PositionSource.Replay) {
    path = replay.path
    reader = NMEAReader(floor: replay.floor, isLive: false)
    pace = ReplayPace(isHurried: replay.isHurried)
    // Opening a pipe could wait forever, and so could reading one.
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
    // A limit per round, so that the consumer of a hurried replay keeps up.
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

  /// The first waiting report; reads on if there is none.
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
  /// The report with another arrival.
  fileprivate func arriving(at time: BootTime) -> PositionReport {
    switch self {
    case .fix(var fix):
      fix.arrival = time
      return .fix(fix)
    case .noFix: return .noFix(arrival: time)
    }
  }
}
