internal import LinuxSystem
internal import UploadProtocol
internal import Values

/// A thread that simulates some of the gateways.
///
/// If a rate is given, each gateway has its own connection and its own schedule. Otherwise, the
/// gateways take turns and send as fast as possible, using one connection per receiver.
struct FleetLane {
  /// State shared by all threads that simulate gateways.
  struct Course: Sendable {
    var chunks = FleetChunks()
    /// The receivers' ports, or the port of the proxy in front of them.
    var ports: [UInt16]
    /// Seconds between two chunks from a gateway; `nil` to send as fast as possible.
    var interval: Double?
    var seed: UInt64
    var start: BootTime
    let pulse = FleetPulse()
    /// Raised when the simulated gateways must stop sending new chunks.
    let ending = StopFlag()
    /// Raised when the threads that simulate gateways must stop immediately.
    let stopping: StopFlag

    /// Seconds since the start of the run.
    var now: Double { BootClock.now().seconds(since: start) }
  }

  private struct Player {
    let number: Int32
    let gateway: FleetGateway
    var chunks = 0
    /// Seconds from the start of the run until the gateway's next chunk is due.
    var due: Double
    var stages: [Stage] = []
    /// The number of deliveries that were sent together and have no verdict yet.
    var open = 0

    var isIdle: Bool { open == 0 && stages.isEmpty }
  }

  /// Deliveries that are sent at the same time.
  private struct Stage {
    var deliveries: [FleetDelivery]
    /// Whether to send the deliveries only if their first chunk id has already been acknowledged.
    var needsAcknowledged = false
  }

  /// A delivery that is waiting to be sent.
  private struct Waiting {
    var delivery: FleetDelivery
    var from: Double
    /// The index of the preferred connection.
    var slot: Int
    /// Seconds until the next attempt, unless the response specifies another pause.
    var pause = 0.1
    /// Whether a response had status 500. A gateway parks a chunk that has failed twice.
    var hasFailed = false
  }

  /// A pending request.
  private struct Call {
    var waiting: Waiting
    var link: FleetLink
    var began: Double
  }

  /// The number of chunks in a batch request. A batch must fit into one loopback segment, because a
  /// second segment would be delayed.
  private static let batch = 4
  /// The maximum pause in seconds before a retry, unless the response specifies a longer pause.
  private static let longestPause = 2.0
  /// Seconds to wait for a response before it is treated as lost. A receiver waits up to 12 s for
  /// its database.
  private static let patience = 20.0
  /// Seconds to wait for pending responses after sending has stopped.
  private static let grace = 60.0
  /// The maximum time in seconds between two checks of the stop flags.
  private static let look = 0.1

  private let course: Course
  private var players: [Player]
  private var links: [Int: FleetLink] = [:]
  private var waiting: [Waiting] = []
  private var calls: [Call] = []
  private var turn = 0
  private var nextDue = 0.0
  private var generator: SplitMix64
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  private var ledger = FleetLedger()

  /// Creates a lane that simulates these gateways. Their numbers are unique across all lanes.
  init(_ gateways: [(number: Int, gateway: FleetGateway)], _ course: Course) {
    self.course = course
    var generator = SplitMix64(seed: course.seed &+ UInt64(gateways.first?.number ?? 0))
    players = gateways.map { number, gateway in
      // A request contains 2.5 chunks on average, so a gateway sends a request every 2.5 intervals.
      // Each gateway starts at a random time within that period.
      let due = course.interval.map { Double.random(in: 0..<2.5 * $0, using: &generator) } ?? 0
      return Player(number: Int32(number), gateway: gateway, due: due)
    }
    turn = Int.random(in: 0..<players.count, using: &generator)
    self.generator = generator
  }

  /// Sends until the run ends and returns the results.
  mutating func run() -> FleetLedger {
    var limit = Double.infinity
    // If no rate is given, send at least one request, even if this thread starts late.
    if course.interval == nil { begin(turn, course.now) }
    while !course.stopping.isRaised {
      let now = course.now
      if course.ending.isRaised {
        if limit == .infinity { limit = now + Self.grace }
        if calls.isEmpty && waiting.isEmpty || now > limit { break }
      } else {
        beginDue(now)
      }
      send(now)
      wait(now)
      take()
    }
    ledger.undecided += calls.count + waiting.count
    return ledger
  }

  // MARK: Errands

  private mutating func beginDue(_ now: Double) {
    guard course.interval != nil else {
      guard calls.isEmpty, waiting.isEmpty else { return }
      turn = (turn + 1) % players.count
      return begin(turn, now)
    }
    guard nextDue <= now else { return }
    nextDue = .infinity
    for index in players.indices where players[index].isIdle {
      if players[index].due <= now {
        begin(index, now)
      } else {
        nextDue = min(nextDue, players[index].due)
      }
    }
  }

  /// Starts a gateway's next delivery.
  private mutating func begin(_ index: Int, _ now: Double) {
    let count = Bool.random(using: &generator) ? 1 : Self.batch
    let delivery = delivery(of: index, chunks: count)
    players[index].due += (course.interval ?? 0) * Double(count)
    // The ranges below are percentages of all requests.
    players[index].stages =
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<5: [Stage(deliveries: [delivery, delivery])]
      case 5..<10: [Stage(deliveries: [delivery]), Stage(deliveries: [delivery])]
      case 10:
        [
          Stage(deliveries: [delivery]),
          Stage(deliveries: [conflict(with: delivery)], needsAcknowledged: true),
        ]
      case 11: [Stage(deliveries: [delivery, conflict(with: delivery)])]
      default: [Stage(deliveries: [delivery])]
      }
    advance(index, now)
  }

  /// Queues the gateway's next deliveries, or schedules its next request if no deliveries are left.
  private mutating func advance(_ index: Int, _ now: Double) {
    guard !players[index].stages.isEmpty else {
      nextDue = min(nextDue, players[index].due)
      return
    }
    let stage = players[index].stages.removeFirst()
    let first = stage.deliveries[0].entries.lowerBound
    if stage.needsAcknowledged, ledger.entries[first].acknowledged == nil {
      return advance(index, now)
    }
    players[index].open = stage.deliveries.count
    let slot = Int.random(in: 0..<course.ports.count, using: &generator)
    for (offset, delivery) in stage.deliveries.enumerated() {
      if delivery.content == .other { ledger.entries[first].hasOther = true }
      waiting.append(Waiting(delivery: delivery, from: now, slot: slot + offset))
    }
    if stage.deliveries.count > 1 { ledger.twins += 1 }
  }

  private mutating func delivery(of index: Int, chunks count: Int) -> FleetDelivery {
    let player = players[index]
    let first = ledger.entries.count
    let parts = (player.chunks..<player.chunks + count).map { number in
      ledger.entries.append(FleetLedger.Entry(gateway: player.number, number: Int32(number)))
      return part(number, of: player.gateway)
    }
    players[index].chunks += count
    return FleetDelivery(
      of: index, player.gateway, parts, entries: first..<ledger.entries.count)
  }

  /// Returns a delivery with different content under the first chunk id of `delivery`.
  private func conflict(with delivery: FleetDelivery) -> FleetDelivery {
    let first = delivery.entries.lowerBound
    let gateway = players[delivery.player].gateway
    return FleetDelivery(
      of: delivery.player, gateway,
      [part(Int(ledger.entries[first].number), of: gateway, isOther: true)],
      entries: first..<first + 1, content: .other)
  }

  private func part(
    _ number: Int, of gateway: FleetGateway, isOther: Bool = false
  ) -> ChunkBatch.Part {
    ChunkBatch.Part(
      id: gateway.chunk(number),
      bytes: course.chunks.chunk(number, of: gateway, isOther: isOther))
  }

  // MARK: Requests

  /// Sends the requests that are due.
  private mutating func send(_ now: Double) {
    var rest: [Waiting] = []
    for waiting in waiting {
      guard waiting.from <= now, let link = freeLink(for: waiting) else {
        rest.append(waiting)
        continue
      }
      link.begin(waiting.delivery.request, &buffer)
      calls.append(Call(waiting: waiting, link: link, began: course.now))
      course.pulse.begins()
    }
    waiting = rest
  }

  /// Returns an idle connection, preferably the one that `waiting` specifies.
  private mutating func freeLink(for waiting: Waiting) -> FleetLink? {
    // Use at least two connections, so that a gateway can send to two receivers at the same time.
    let count = max(2, course.ports.count)
    let base = course.interval == nil ? 0 : waiting.delivery.player * count
    for offset in 0..<count {
      let slot = (waiting.slot + offset) % count
      let link =
        links[base + slot] ?? FleetLink(port: course.ports[slot % course.ports.count])
      links[base + slot] = link
      if !link.isBusy { return link }
    }
    return nil
  }

  private mutating func wait(_ now: Double) {
    var polls = PollSet()
    for call in calls {
      // The connection failed immediately.
      guard call.link.descriptor != PollSet.nobody else { return }
      polls.add(call.link.descriptor, forWriting: call.link.wantsWriting)
    }
    var until = now + Self.look
    if course.interval != nil, !course.ending.isRaised { until = min(until, nextDue) }
    for waiting in waiting where waiting.from > now { until = min(until, waiting.from) }
    polls.wait(seconds: max(0, until - course.now))
  }

  // MARK: Answers

  /// Processes the responses that have arrived.
  private mutating func take() {
    let underWay = calls
    calls = []
    for call in underWay {
      switch call.link.progress(&buffer) {
      case .waiting where course.now - call.began < Self.patience: calls.append(call)
      case .waiting, .lost:
        call.link.end()
        course.pulse.ends()
        again(call.waiting, rest: nil)
      case .answered(let answer):
        course.pulse.ends()
        let now = course.now
        ledger.answers.append(now - call.began)
        ledger.answered.append(now)
        ledger.statuses[answer.status, default: 0] += 1
        judge(answer, to: call.waiting)
      }
    }
  }

  private mutating func judge(_ answer: FleetLink.Answer, to request: Waiting) {
    var request = request
    let delivery = request.delivery
    switch FleetVerdict(answer, chunks: delivery.entries.count) {
    case .decided(let words): note(words, on: delivery, by: answer.receiver)
    case .again where answer.status == 500 && request.hasFailed:
      ledger.faults.append("a request got status 500 twice, so a gateway would park it")
    case .again(let rest):
      request.hasFailed = request.hasFailed || answer.status == 500
      return again(request, rest: rest)
    case .fault(let text): ledger.faults.append(text)
    }
    players[delivery.player].open -= 1
    if players[delivery.player].open == 0 { advance(delivery.player, course.now) }
  }

  private mutating func again(_ request: Waiting, rest: Double?) {
    var request = request
    request.from = course.now + (rest ?? request.pause)
    request.pause = min(2 * request.pause, Self.longestPause)
    request.slot += 1
    ledger.repeated += 1
    waiting.append(request)
  }

  /// Records the receiver's verdicts on chunks. If two versions of a chunk were sent under one id,
  /// the first to arrive is acknowledged.
  private mutating func note(
    _ words: [FleetVerdict.Word], on delivery: FleetDelivery, by receiver: String?
  ) {
    let now = course.now
    for (index, word) in words.enumerated() {
      var entry = ledger.entries[delivery.entries.lowerBound + index]
      let id = players[delivery.player].gateway.chunk(Int(entry.number))
      entry.decided += 1
      if word == .stored { entry.stored += 1 }
      if word == .conflict {
        entry.conflicts += 1
        if !entry.hasOther || entry.acknowledged == delivery.content {
          ledger.faults.append("a conflict that did not exist was reported for \(id)")
        }
      } else if entry.acknowledged == nil {
        entry.acknowledged = delivery.content
        ledger.times.append(now)
        ledger.bytes += delivery.sizes[index]
        course.pulse.acknowledge(at: now, by: receiver)
      } else if entry.acknowledged != delivery.content {
        ledger.faults.append("chunk \(id) was acknowledged with two different contents")
      }
      ledger.entries[delivery.entries.lowerBound + index] = entry
    }
  }
}
