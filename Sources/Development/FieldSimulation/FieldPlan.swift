internal import BoardDriver
internal import DiskFaults
internal import Gateway
internal import MetaWearProtocol
internal import Simulation
internal import Values

/// A trip's events, generated from a seed: days with walks, and the faults that happen during them.
///
/// Lasting faults are repaired before the last ten minutes of a walk, so every walk must end
/// without problems.
struct FieldPlan: Sendable {
  /// Seconds per day.
  static let day = 86_400.0

  var seed: UInt64
  var boards: Int
  var days: Double
  /// The sensors that every recording uses.
  var sensors = RecordingPlan.gait
  /// Whether the trip is one short recording. The losses and times of a short recording are checked
  /// sample by sample.
  var isShort = false
  var events: [FieldEvent] = []

  init(seed: UInt64, days: Double, boards: Int) {
    self.seed = seed
    self.days = days
    self.boards = boards
    var random = SplitMix64(seed: seed)
    var first = 0.0
    // Use a separate random sequence, so that new kinds of events do not change the existing
    // events.
    var others = SplitMix64(seed: ~seed)
    var losses = SplitMix64(seed: ~seed &+ 1 << 32)
    while first < days * Self.day {
      addDay(from: first, using: &random, &others, &losses)
      first += Self.day
    }
    events.sort { $0.time < $1.time }
  }

  /// Generates a random recording of one board that lasts up to a minute, at any rate and in any
  /// layout. Some packets are lost, or all packets are lost for several seconds. Links drop, and
  /// the recording may end at any time.
  init(short seed: UInt64) {
    self.seed = seed
    days = 0
    boards = 1
    isShort = true
    var random = SplitMix64(seed: seed)
    let signals: [[String]] = [
      ["acceleration"], ["angular_velocity"], ["acceleration", "angular_velocity"],
      ["acceleration", "angular_velocity"],
    ]
    sensors = (signals.randomElement(using: &random) ?? []).map { signal in
      let layout = StreamLayout.Kind.allCases.randomElement(using: &random)
      // At high rates, sending one sample per packet exceeds a link's capacity.
      let rates = layout == .packed ? [25.0, 50, 100, 200, 400] : [25, 50, 100]
      let isChosen = Bool.random(using: &random)
      return SensorRequest(
        signal: signal,
        rate: (isChosen ? rates : [25, 50, 100, 200, 400]).randomElement(using: &random),
        layout: isChosen ? layout : nil)
    }
    let start = Double.random(in: 1...2, using: &random)
    let stop = start + .random(in: 20...60, using: &random)
    add(.start, at: start, then: [(.stop, stop)])
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let time = Double.random(in: start + 4...stop, using: &random)
      let fault: BoardFault =
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<5: .dropAll(seconds: .random(in: 0.3...8, using: &random))
        case 5..<7: .drop(count: .random(in: 1...40, using: &random))
        default: .disconnect
        }
      add(.board(0, fault), at: time)
      switch fault {
      // The first packets of the new link may also be lost.
      case .disconnect where Bool.random(using: &random):
        add(
          .board(0, .dropAll(seconds: .random(in: 0.3...3, using: &random))),
          at: time + .random(in: 0.3...1, using: &random))
      // The link may drop before the program reads the board's sample count.
      case .dropAll(let seconds) where Int.random(in: 0..<4, using: &random) == 0:
        add(.board(0, .disconnect), at: time + seconds + .random(in: 0...0.9, using: &random))
      default: break
      }
    }
    events.sort { $0.time < $1.time }
  }

  /// Adds one to three walks of 15 to 40 minutes, between eight in the morning and five in the
  /// afternoon, and the evening's uploads.
  private mutating func addDay(
    from midnight: Double, using random: inout SplitMix64, _ others: inout SplitMix64,
    _ losses: inout SplitMix64
  ) {
    let walks = Int.random(in: 1...3, using: &random)
    for walk in 0..<walks {
      let slot = 9 * 3_600.0 / Double(walks)
      let start =
        midnight + 8 * 3_600 + slot * Double(walk) + .random(in: 0...1_800, using: &random)
      let length = Double.random(in: 900...2_400, using: &random)
      addWalk(from: start, lasting: length, using: &random, &losses)
      addReceiver(from: start, lasting: length, using: &others)
      addDiskFaults(from: start, lasting: length, using: &others)
    }
    addEvening(from: midnight + 19 * 3_600, using: &random)
  }

  /// Adds an upload in the evening, during which the network may fail and recover, and adds another
  /// at nine o'clock with a working network.
  private mutating func addEvening(from time: Double, using random: inout SplitMix64) {
    add(.upload, at: time)
    if Bool.random(using: &random) {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let state = FieldServer.State.allCases.randomElement(using: &random) ?? .failing
        add(.network(state), at: time + .random(in: -600...3_600, using: &random))
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        add(.upload, at: time + .random(in: 1...3_600, using: &random))
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        add(.kill, at: time + .random(in: 0...60, using: &random))
      }
    }
    add(.network(.healthy), at: time + 6_000, then: [(.upload, time + 7_200)])
  }

  private mutating func addWalk(
    from start: Double, lasting length: Double, using random: inout SplitMix64,
    _ losses: inout SplitMix64
  ) {
    add(.start, at: start, then: [(.stop, start + length)])
    // No lasting fault extends into the last minutes of a walk.
    let calm = start + length - 600
    // One walk in five has no faults, or only packet losses. Only on such a walk is the number of
    // losses known exactly.
    guard Int.random(in: 0..<5, using: &random) > 0 else {
      return addLosses(from: start, before: calm, using: &losses)
    }
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      addFault(at: .random(in: start + 1...calm - 200, using: &random), before: calm, &random)
    }
  }

  /// Adds packet losses to about half of the walks that have no other faults.
  private mutating func addLosses(
    from start: Double, before calm: Double, using random: inout SplitMix64
  ) {
    guard Bool.random(using: &random) else { return }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let board = Int.random(in: 0..<boards, using: &random)
      add(
        .board(board, .drop(count: .random(in: 1...200, using: &random))),
        at: .random(in: start + 60...calm - 60, using: &random))
    }
  }

  /// Adds a receiver that is plugged in shortly before or after the recording starts. In one walk
  /// in three, the receiver is unplugged for a while.
  private mutating func addReceiver(
    from start: Double, lasting length: Double, using random: inout SplitMix64
  ) {
    add(
      .receiver(isOn: true), at: start + .random(in: -120...30, using: &random),
      then: [(.receiver(isOn: false), start + length + 5)])
    guard Int.random(in: 0..<3, using: &random) == 0 else { return }
    var time = start + 60
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      time += .random(in: 1...120, using: &random)
      let away = Double.random(in: 1...60, using: &random)
      add(.receiver(isOn: false), at: time, then: [(.receiver(isOn: true), time + away)])
      time += away
    }
  }

  /// On one walk in ten, fills the disk for a while, or makes it fail.
  private mutating func addDiskFaults(
    from start: Double, lasting length: Double, using random: inout SplitMix64
  ) {
    guard Int.random(in: 0..<10, using: &random) == 0 else { return }
    let fault: SimulatedDisk.Fault = Bool.random(using: &random) ? .full : .failure
    let time = start + .random(in: 0...length - 700, using: &random)
    add(.disk(fault), at: time, then: [(.disk(nil), time + .random(in: 0.1...90, using: &random))])
  }

  private mutating func addFault(
    at time: Double, before calm: Double, _ random: inout SplitMix64
  ) {
    let board = Int.random(in: 0..<boards, using: &random)
    let most = min(180, calm - time)
    let seconds = Double.random(in: 0.5...most, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<14: add(.board(board, .disconnect), at: time)
    case 14..<24:
      // When a board goes out of range, packets stop arriving first, and then the link is lost.
      let lost = time + min(seconds, 20)
      add(
        .board(board, .dropAll(seconds: min(seconds, 20))), at: time,
        then: [
          (.board(board, .disconnect), lost),
          (.daemon(.heldByAnotherCentral(seconds: seconds)), lost),
        ])
    case 24..<36:
      add(.board(board, .drop(count: .random(in: 1...200, using: &random))), at: time)
    case 36..<42:
      add(.board(board, .delay(seconds: .random(in: 0.1...2, using: &random))), at: time)
    case 42..<45:
      add(.board(board, .duplicate(count: .random(in: 1...5, using: &random))), at: time)
    case 45..<48: add(.board(board, .garbage(count: .random(in: 1...5, using: &random))), at: time)
    case 48..<53: add(.board(board, .reboot), at: time)
    case 53..<56: add(.board(board, .stopAnswering(seconds: min(seconds, 60))), at: time)
    case 56..<60: add(.board(board, .hang(seconds: min(seconds, 60))), at: time)
    case 60..<63:
      add(
        .board(board, .haltSensor(Bool.random(using: &random) ? .accelerometer : .gyroscope)),
        at: time)
    case 63..<66:
      add(
        .board(board, .lowBattery(seconds: min(seconds, 30))), at: time,
        then: [(.recharge(board), time + seconds + 31)])
    case 66..<74:
      add(
        .daemon(
          .daemonGone(seconds: min(seconds, 60), keepsLinks: Bool.random(using: &random))), at: time
      )
    case 74..<78:
      add(.daemon(.adapterOff), at: time, then: [(.daemon(.adapterOn), time + seconds)])
    case 78..<81:
      add(
        .daemon(.adapterBlocked), at: time,
        then: [
          (.daemon(.adapterUnblocked), time + seconds),
          // An earlier fault may have switched the adapter off. While the adapter is blocked, it
          // cannot be switched on, so switch it on afterwards.
          (.daemon(.adapterOn), time + seconds),
        ])
    case 81..<85:
      let shift = Int.random(in: 0...2, using: &random)
      add(
        .daemon(.adapterRemoved), at: time,
        then: [(.daemon(.adapterReturned(shift: shift)), time + seconds)])
    case 85..<88: add(.daemon(.connectAborts(count: .random(in: 1...5, using: &random))), at: time)
    case 88..<90: add(.daemon(.missingObjects(times: 1)), at: time)
    case 90..<92:
      add(.daemon(.noReply(.connect, count: .random(in: 1...3, using: &random))), at: time)
    case 92..<94: add(.daemon(.emptyNotification), at: time)
    case 94..<96: add(.clock(seconds: .random(in: -3_600...3_600, using: &random)), at: time)
    case 96..<98:
      add(.kill, at: time, then: [(.start, time + seconds)])
    default:
      add(.powerCut, at: time, then: [(.start, time + seconds)])
    }
  }

  /// Groups of events that belong together, as event numbers. The groups are sorted by their first
  /// event.
  var occasions: [[Int]] {
    Dictionary(grouping: events.indices) { events[$0].occasion }.values
      .sorted { $0[0] < $1[0] }
  }

  /// Periods during which packets are lost.
  var losses: [ClosedRange<Double>] {
    events.compactMap { event in
      switch event.kind {
      case .board(_, .dropAll(let seconds)): event.time...event.time + seconds
      // Assume the lowest packet rate, 25 packets per second.
      case .board(_, .drop(let count)): event.time...event.time + Double(count) / 25
      default: nil
      }
    }
  }

  /// Whether any board ignores commands for a while.
  var hasDeafBoard: Bool {
    events.contains { event in
      switch event.kind {
      case .board(_, .stopAnswering), .board(_, .hang): true
      default: false
      }
    }
  }

  /// Adds an event, and the later events that belong to it.
  private mutating func add(
    _ kind: FieldEvent.Kind, at time: Double, then others: [(FieldEvent.Kind, Double)] = []
  ) {
    let occasion = (events.last?.occasion ?? -1) + 1
    for (kind, time) in [(kind, time)] + others {
      events.append(FieldEvent(time: time, kind: kind, occasion: occasion))
    }
  }
}
