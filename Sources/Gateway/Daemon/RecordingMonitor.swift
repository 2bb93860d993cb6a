internal import Positioning
internal import Recording
internal import Values

/// Uses a recording's live status to track how long Bluetooth and the receiver have been in their
/// current states.
struct RecordingMonitor: Sendable {
  private var receiver: Since<ReceiverState>?
  private var obstacle: Since<LiveStatus.Obstacle?>?
  private(set) var live = LiveStatus()

  var samples: UInt64 { live.boards.reduce(0) { $0 + $1.arrived } }

  /// Whether bluetoothd reports a linked board in a recording that already has samples.
  var isLinked: Bool { samples > 0 && live.boards.contains(where: \.isLinked) }

  /// Whether a board's own detector is watching for walking.
  var isWatching: Bool { live.boards.contains { $0.phase == .watching } }

  /// Number of chunks stored by the recording.
  var chunks: UInt64 {
    live.boards.reduce(0) { $0 + $1.streams.reduce(0) { $0 + $1.storedChunks } }
  }

  mutating func note(_ status: LiveStatus, at now: BootTime) {
    live = status
    if obstacle == nil { obstacle = Since(status.obstacle, at: now) }
    obstacle?.note(status.obstacle, at: now)
    guard let state = status.receiver else { return }
    if receiver == nil { receiver = Since(state, at: now) }
    receiver?.note(state, at: now)
  }

  /// Returns the boards already found, and then the plan's remaining boards.
  func boards(of plan: RecordingPlan, at now: BootTime) -> [GatewayStatus.Board] {
    let known = live.boards.map { board in
      GatewayStatus.Board(
        address: board.identity.address, name: board.identity.name, phase: board.phase,
        phaseAge: max(0, now.seconds(since: board.phaseStart)),
        sampleAge: board.streams.compactMap(\.lastSample).max().map {
          max(0, now.seconds(since: $0))
        },
        battery: board.battery, rssi: board.rssi, isAnswering: board.isAnswering,
        isCrowdedOut: board.isCrowdedOut, streams: board.streams.map { stream(of: board, $0, now) })
    }
    let there = Set(known.map(\.address))
    let others = plan.boards.addresses.filter { !there.contains($0) }.map { address in
      GatewayStatus.Board(
        address: address, name: plan.names[address] ?? address.description,
        phase: .idle, phaseAge: 0)
    }
    return known + others
  }

  /// `nil` before the first check of a recording.
  func bluetooth(at now: BootTime) -> GatewayStatus.Bluetooth? {
    obstacle.map {
      GatewayStatus.Bluetooth(
        obstacle: $0.value?.text, remedy: $0.value?.remedy ?? "", age: $0.seconds(at: now))
    }
  }

  func receiver(of settings: RecordingSettings, at now: BootTime) -> GatewayStatus.Receiver? {
    guard let source = settings.receiver else { return nil }
    return GatewayStatus.Receiver(
      source: source.description, state: receiver?.value, stateAge: receiver?.seconds(at: now),
      fixAge: live.fixAge, problem: live.receiverProblem)
  }

  /// Reports silence once a session is open or the board has sent a sample, and missing samples
  /// only in a session.
  private func stream(
    of board: LiveStatus.Board, _ stream: LiveStatus.Stream, _ now: BootTime
  ) -> GatewayStatus.Stream {
    var status = GatewayStatus.Stream(
      signal: stream.description.signal, requestedRate: stream.description.rate,
      measuredRate: stream.measuredRate, received: stream.received, lost: stream.lost)
    guard live.session != nil || board.arrived > 0,
      let silence = board.silence(of: stream, at: now)
    else { return status }
    status.silence = silence
    status.measuredRate = 0
    if live.session != nil {
      let seconds = min(silence, live.elapsed)
      status.missing = UInt64(min((seconds * stream.description.rate).rounded(), 1e15))
    }
    return status
  }
}
