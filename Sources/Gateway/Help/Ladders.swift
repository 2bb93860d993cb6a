internal import BlueZ
internal import Positioning
internal import Values

/// The recovery ladders of a daemon's adapters and its receiver. The caller supplies the time.
struct Ladders: Sendable {
  enum Step: Hashable, Sendable {
    /// Power-cycle this adapter, for this reason.
    case power(AdapterCondition, reason: String)
    /// Reset this adapter's USB port, for this reason.
    case port(AdapterCondition, reason: String)
    /// Reset the receiver's USB port.
    case receiverPort
  }

  struct ReceiverCondition: Hashable, Sendable {
    var state: ReceiverState
    /// Seconds since the receiver's current state began.
    var age: Double
  }

  private struct Watched: Sendable {
    var name: String
    var watch = AdapterWatch()
    var ladder = Ladder()
  }

  /// Seconds that a connected receiver may be silent. Some receivers need that long to start.
  static let quietReceiverSeconds = 60.0

  private var adapters: [String: Watched] = [:]
  private var receiver = Ladder()

  /// Returns the steps that are due. The result depends on the current conditions, the age of each
  /// board's last sample, and whether each board responded to its last request.
  mutating func next(
    _ conditions: [AdapterCondition], sampleAge: (BoardAddress) -> Double?,
    isAnswering: (BoardAddress) -> Bool = { _ in false },
    receiver condition: ReceiverCondition?, reach: DaemonPlan.Recovery, at now: BootTime
  ) -> [Step] {
    var steps: [Step] = []
    for adapter in conditions {
      var watched = adapters[adapter.key] ?? Watched(name: adapter.name)
      watched.name = adapter.name
      let state = watched.watch.judge(
        adapter, sampleAge: sampleAge, isAnswering: isAnswering, at: now)
      let rung = watched.ladder.next(state, rungs: reach.adapterRungs, at: now)
      let reason = watched.watch.sign?.reason ?? ""
      adapters[adapter.key] = watched
      switch rung {
      case .power: steps.append(.power(adapter, reason: reason))
      case .port: steps.append(.port(adapter, reason: reason))
      case nil: break
      }
    }
    if let condition {
      let rung = receiver.next(
        condition.judgement, rungs: reach.receiverRungs, at: now)
      if rung != nil { steps.append(.receiverPort) }
    }
    return steps
  }

  /// Records that a step is impossible, so that the next one is due immediately.
  mutating func skip(_ step: Step, at now: BootTime) {
    switch step {
    case .power(let adapter, _), .port(let adapter, _):
      adapters[adapter.key]?.ladder.skip(at: now)
    case .receiverPort: receiver.skip(at: now)
    }
  }

  /// The names of all adapters used since the daemon started.
  var adapterNames: Set<String> { Set(adapters.values.map(\.name)) }

  /// The adapters that no step could fix, by name. Each value is the sign that revealed the
  /// adapter's fault.
  var helplessAdapters: [String: AdapterWatch.Sign] {
    let helpless = adapters.values.compactMap { watched in
      watched.ladder.isExhausted ? watched.watch.sign.map { (watched.name, $0) } : nil
    }
    return Dictionary(helpless, uniquingKeysWith: { first, _ in first })
  }

  var isReceiverHelpless: Bool { receiver.isExhausted }
}

extension DaemonPlan.Recovery {
  fileprivate var adapterRungs: [Ladder.Rung] {
    switch self {
    case .links: []
    case .adapter: [.power]
    case .usb: [.power, .port]
    }
  }

  fileprivate var receiverRungs: [Ladder.Rung] { self == .usb ? [.port] : [] }
}

extension Ladders.ReceiverCondition {
  fileprivate var judgement: Ladder.Condition {
    switch state {
    case .fix2D, .fix3D, .noFix: .well
    case .lost: .sick
    case .searching: age >= Ladders.quietReceiverSeconds ? .sick : .unclear
    // A stale receiver may still send data. In the other states, there is no port to reset.
    case .stale, .unplugged, .noDaemon, .noDevice, .fixed, .ended: .unclear
    }
  }
}

extension AdapterWatch.Sign {
  /// Describes the sign of a fault. The description is used as the reason for a recovery step.
  var reason: String {
    switch self {
    case .silent: "its boards send nothing"
    case .refusing: "boards are heard, but connecting to them fails"
    case .deaf: "no device is heard"
    case .stuck: "it cannot be switched on"
    }
  }
}
