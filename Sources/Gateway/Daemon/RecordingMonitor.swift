internal import Positioning
internal import Recording
internal import Values

/// Watches a recording by its live status: since when each board is in its phase, and when its last
/// sample came.
struct RecordingMonitor: Sendable {
  private struct Watched: Sendable {
    var phase: Since<LiveStatus.BoardPhase>
    /// Samples of each stream, which change with each sample.
    var arrived: [Since<UInt64>] = []

    mutating func note(_ board: LiveStatus.Board, at now: BootTime) {
      phase.note(board.phase, at: now)
      for (index, stream) in board.streams.enumerated() {
        if index == arrived.count { arrived.append(Since(stream.arrived, at: now)) }
        arrived[index].note(stream.arrived, at: now)
      }
    }

    /// Seconds since the last sample of any stream.
    func sampleAge(at now: BootTime) -> Double? {
      arrived.lazy.filter { $0.value > 0 }.map { $0.seconds(at: now) }.min()
    }
  }

  private var boards: [BoardAddress: Watched] = [:]
  private var receiver: Since<ReceiverState>?
  private var obstacle: Since<LiveStatus.Obstacle?>?
  private(set) var live = LiveStatus()

  /// Samples that came so far.
  var samples: UInt64 { live.boards.reduce(0) { $0 + $1.arrived } }

  /// Whether bluetoothd says that a board is linked, in a recording that has samples already.
  var isLinked: Bool { samples > 0 && live.boards.contains(where: \.isLinked) }

  /// Whether a board looks for walking by itself.
  var isWatching: Bool { live.boards.contains { $0.phase == .watching } }

  /// Chunks stored so far.
  var chunks: UInt64 {
    live.boards.reduce(0) { $0 + $1.streams.reduce(0) { $0 + $1.storedChunks } }
  }

  /// Notes the present status.
  mutating func note(_ status: LiveStatus, at now: BootTime) {
    live = status
    for board in status.boards {
      let address = board.identity.address
      boards[address, default: Watched(phase: Since(board.phase, at: now))].note(board, at: now)
    }
    if obstacle == nil { obstacle = Since(status.obstacle, at: now) }
    obstacle?.note(status.obstacle, at: now)
    guard let state = status.receiver else { return }
    if receiver == nil { receiver = Since(state, at: now) }
    receiver?.note(state, at: now)
  }

  /// The boards at an instant. Those of the plan that were not found yet follow the others.
  func boards(of plan: RecordingPlan, at now: BootTime) -> [GatewayStatus.Board] {
    let known = live.boards.map { board -> GatewayStatus.Board in
      let watched = boards[board.identity.address]
      return GatewayStatus.Board(
        address: board.identity.address, name: board.identity.name, phase: board.phase,
        phaseAge: watched?.phase.seconds(at: now) ?? 0,
        sampleAge: watched?.sampleAge(at: now),
        battery: board.battery, rssi: board.rssi, isAnswering: board.isAnswering,
        isCrowdedOut: board.isCrowdedOut,
        streams: zip(board.streams, watched?.arrived ?? []).map { stream, arrived in
          var status = stream.status
          if board.isDue, live.session != nil || board.arrived > 0 {
            status.note(silence: arrived.seconds(at: now), inSession: live.session != nil)
          }
          return status
        })
    }
    let there = Set(known.map(\.address))
    let others = plan.boards.addresses.filter { !there.contains($0) }.map { address in
      GatewayStatus.Board(
        address: address, name: plan.names[address] ?? address.description,
        phase: .idle, phaseAge: 0)
    }
    return known + others
  }

  /// Bluetooth at an instant; `nil` before the first look at a recording.
  func bluetooth(at now: BootTime) -> GatewayStatus.Bluetooth? {
    obstacle.map {
      GatewayStatus.Bluetooth(
        obstacle: $0.value?.text, remedy: $0.value?.remedy ?? "", age: $0.seconds(at: now))
    }
  }

  /// The source of positions at an instant; `nil` without one.
  func receiver(of settings: RecordingSettings, at now: BootTime) -> GatewayStatus.Receiver? {
    guard let source = settings.receiver else { return nil }
    return GatewayStatus.Receiver(
      source: source.description, state: receiver?.value, stateAge: receiver?.seconds(at: now),
      fixAge: live.fixAge)
  }
}

extension GatewayStatus.Stream {
  /// Seconds without a sample after which a stream counts as silent.
  private static let patience = 2.0
  /// Samples of a slow stream that have to be missing.
  private static let patientSamples = 3.0

  /// Notes for how long no sample has come, and how many are missing in the session since.
  fileprivate mutating func note(silence: Double, inSession: Bool) {
    guard silence >= max(Self.patience, Self.patientSamples / max(requestedRate, 1e-3)) else {
      return
    }
    self.silence = silence
    measuredRate = 0
    if inSession { missing = UInt64(min((silence * requestedRate).rounded(), 1e15)) }
  }
}

extension LiveStatus.Board {
  /// Whether samples should come, or would if its link were there.
  fileprivate var isDue: Bool { phase == .streaming || phase == .reconnecting }

  /// Samples of all its streams.
  fileprivate var arrived: UInt64 { streams.reduce(0) { $0 + $1.arrived } }
}

extension LiveStatus.Stream {
  fileprivate var status: GatewayStatus.Stream {
    GatewayStatus.Stream(
      signal: description.signal, requestedRate: description.rate, measuredRate: measuredRate,
      received: received, lost: lost)
  }
}
