internal import BoardDriver
internal import LinuxSystem
internal import Recording
internal import Values

/// The recorder's part of the live view: collects the status of boards and streams, and publishes
/// it.
struct RecorderView {
  /// A stream, and its board's number.
  struct Stream: Sendable {
    var board: UInt16
    var live: LiveStatus.Stream
  }

  private let status: StatusBoard
  private var live = LiveStatus()
  /// Index of each board in `live.boards`.
  private var positions: [UInt16: Int] = [:]
  private var lastShown = BootTime(nanoseconds: 0)

  init(on status: StatusBoard) {
    self.status = status
  }

  mutating func note(
    _ phase: LiveStatus.BoardPhase, of board: UInt16, _ identity: BoardIdentity, at now: BootTime
  ) {
    let position = positions[board] ?? live.boards.count
    if positions.updateValue(position, forKey: board) == nil {
      live.boards.append(LiveStatus.Board(identity: identity, phase: phase))
      live.boards[position].phaseStart = now
    }
    live.boards[position].identity = identity
    live.boards[position].note(phase, at: now)
  }

  var isFollowed: Bool { status.isFollowed }

  /// Returns the seconds since the last status was shown.
  func age(at now: BootTime) -> Double { now.seconds(since: lastShown) }

  /// Publishes the recording's current status. `meters`, indexed by board number, measure the
  /// links.
  mutating func show(_ streams: [Stream], _ meters: [LinkMeter], _ parts: Parts, at now: BootTime) {
    lastShown = now
    live.time = now
    live.elapsed = parts.firstSample.map { max(0, now.seconds(since: $0)) } ?? 0
    for (board, position) in positions {
      let own = streams.filter { $0.board == board }
      guard !own.isEmpty else { continue }
      live.boards[position].link = meters[Int(board)].latest
      live.boards[position].streams = own.map(\.live)
    }
    live.session = parts.session
    live.participant = parts.participant
    live.standby = parts.standby
    live.pause = parts.pause
    live.statistics = parts.statistics
    live.fix = parts.fix
    live.fixAge = parts.fix.map { now.seconds(since: $0.arrival) }
    status.show(live)
  }

  /// The parts of the view that do not belong to a particular stream.
  struct Parts {
    var session: UniqueID?
    var participant: String?
    var standby: LiveStatus.Standby?
    var pause: Double?
    var statistics = SessionStatistics()
    var fix: Fix?
    var firstSample: BootTime?
  }
}
