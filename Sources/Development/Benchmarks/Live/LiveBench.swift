internal import LinuxSystem
internal import Sharing
internal import Fleet
internal import Values

/// `bench live`: measures the time from publishing a gateway's message to sending its event to a
/// reader, with many gateways.
public struct LiveBench: Sendable {
  private let options: LiveOptions
  private let stopping = StopFlag()

  /// Runs the command with the arguments that follow `live`.
  public static func run(_ arguments: ArraySlice<String>) async -> BenchCommand.Outcome {
    if arguments.contains("--help") { return BenchCommand.Outcome(output: [LiveOptions.usage]) }
    let options: LiveOptions
    do throws(LiveOptions.Problem) {
      options = try LiveOptions(arguments)
    } catch {
      return BenchCommand.Outcome(
        complaint: ["error: \(error.text)", "       try 'bench live --help'"], status: 2)
    }
    let bench = LiveBench(options: options)
    let received = Guarded<Int32?>(nil)
    let watch = try? SignalWatch { [stopping = bench.stopping] number, _ in
      received.withLock { $0 = number }
      stopping.raise()
    }
    let outcome = await bench.outcome()
    return withExtendedLifetime(watch) {
      received.withLock { $0 }.map { BenchCommand.Outcome(status: 128 + $0) } ?? outcome
    }
  }

  private func outcome() async -> BenchCommand.Outcome {
    do {
      let carrier = try await LiveCarrier(options.carrier) { hosts in
        for host in hosts where !Self.isReady(host) { return false }
        return true
      }
      defer { carrier.remove() }
      let figures = try await measure(carrier)
      return BenchCommand.Outcome(
        output: options.isJSON ? [figures.json.text] : figures.lines,
        complaint: figures.violations.map { "BROKEN \($0)" },
        status: figures.violations.isEmpty ? 0 : 1)
    } catch {
      return BenchCommand.Outcome(error)
    }
  }

  /// Returns whether a node accepts clients and acknowledges messages.
  private static func isReady(_ host: BrokerAddress.Host) -> Bool {
    guard let address = BrokerAddress("mqtt://\(host)"),
      let connection = try? BrokerConnection(BrokerSettings(address))
    else { return false }
    connection.publish([], on: "footbridge/ready")
    defer { connection.stop(within: 0) }
    let limit = BootClock.now().advanced(bySeconds: 3)
    var polls = PollSet()
    while BootClock.now() < limit {
      if connection.state.isSettled { return true }
      polls.wait(seconds: 0.02)
    }
    return false
  }

  private func measure(_ carrier: LiveCarrier) async throws -> LiveFigures {
    var names: [String: UniqueID] = [:]
    for number in 0..<options.gateways { names[LivePlayers.name(number)] = .random() }
    let hub = try LiveHub(fleets: ["bench"], gateways: names) { _ in }
    defer { hub.stop() }
    guard let stream = hub.stream(forToken: []) else {
      throw MeasurementError("the hub does not accept a reader")
    }
    let reader = try LiveReader(stream)
    defer { reader.stop() }
    // The reader connects to a node that will not be killed.
    let addresses = (carrier.hosts.dropFirst() + carrier.hosts.prefix(1)).prefix(
      carrier.hosts.count == 1 ? 1 : 2)
    guard
      let address = BrokerAddress("mqtt://" + addresses.map(\.description).joined(separator: ","))
    else { throw MeasurementError("the broker has no address") }
    let broker = try BrokerConnection(BrokerSettings(address), subscribingTo: hub.filters) {
      hub.take($0)
    }
    defer { broker.stop(within: 0) }
    let players = LivePlayers(carrier.hosts, options)
    try players.connect(stopping)
    let half = Double(options.seconds) / 2
    // The first status messages announce all gateways to the hub, and are not measured.
    players.tell(
      until: BootClock.now().advanced(bySeconds: Double(options.interval) + 1), stopping)
    reader.begin()
    var counts = (sent: players.sent, acknowledged: players.acknowledged)
    players.tell(until: BootClock.now().advanced(bySeconds: half), stopping)
    var figures = LiveFigures(options, before: reader.present.delays)
    if options.carrier == .nats { carrier.kill(0) }
    reader.begin()
    players.tell(until: BootClock.now().advanced(bySeconds: half), stopping)
    figures.after = reader.present.delays
    counts.sent = players.sent - counts.sent
    counts.acknowledged = players.acknowledged - counts.acknowledged
    // Wait for the silent gateways to become stale.
    reader.begin()
    players.silence()
    players.tell(
      until: BootClock.now().advanced(bySeconds: Double(options.validity) + 2), stopping)
    guard !stopping.isRaised else { throw MeasurementError("the run was interrupted") }
    figures.stale = reader.present.staleDelays
    figures.early = reader.present.early
    figures.sent = counts.sent
    figures.acknowledged = counts.acknowledged
    figures.lost = players.lost
    return figures
  }
}

/// The results and the verdict of `bench live`.
struct LiveFigures {
  let options: LiveOptions
  /// Message delays in the first and the second half of the run, in seconds.
  let before: [Double]
  var after: [Double] = []
  /// Seconds from the time when a gateway became stale to the event that reported the gateway as
  /// stale.
  var stale: [Double] = []
  var early = 0
  var sent = 0
  var acknowledged = 0
  var lost = 0

  init(_ options: LiveOptions, before: [Double]) {
    self.options = options
    self.before = before
  }

  private static func share(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty
      ? .infinity : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  var violations: [String] {
    var faults: [String] = []
    for (name, values) in [("first", before), ("second", after)]
    where Self.share(values, 0.95) > 1 {
      faults.append("in the \(name) half, one message in twenty took longer than a second")
    }
    let silent = (options.gateways + 9) / 10
    if stale.count < silent {
      faults.append("\(silent - stale.count) silent gateways were not marked as stale")
    }
    if Self.share(stale, 1) > 1 { faults.append("a gateway was marked as stale too late") }
    if early > 0 { faults.append("\(early) gateways were marked as stale too early") }
    return faults
  }

  private func line(_ values: [Double]) -> String {
    func text(_ seconds: Double) -> String { "\((seconds * 1e4).rounded() / 10) ms" }
    return "\(values.count) events, median \(text(Self.share(values, 0.5))), 95th percentile "
      + "\(text(Self.share(values, 0.95))), maximum \(text(Self.share(values, 1)))"
  }

  var lines: [String] {
    let machine = Machine.current()
    return [
      "processor \(machine.processor), \(machine.cores) cores; commit \(machine.commit)",
      "\(options.gateways) gateways over \(options.carrier.rawValue), one message each every "
        + "\(options.interval) s for \(options.seconds) s: \(sent) sent, \(acknowledged) "
        + "acknowledged, \(lost) connections lost",
      "  from publisher to reader, first half: \(line(before))",
      "  second half\(options.carrier == .nats ? ", one of three nodes killed" : ""): \(line(after))",
      "  delay of the event that reports a stale gateway: \(line(stale))",
      violations.isEmpty ? "  sound" : "  BROKEN",
    ]
  }

  var json: JSONValue {
    func values(_ values: [Double]) -> JSONValue {
      [
        "events": values.count.json, "median": Self.share(values, 0.5).json,
        "percentile95": Self.share(values, 0.95).json, "longest": Self.share(values, 1).json,
      ]
    }
    return [
      "gateways": options.gateways.json, "broker": options.carrier.rawValue.json,
      "seconds": options.seconds.json, "sent": sent.json, "acknowledged": acknowledged.json,
      "lostConnections": lost.json, "firstHalf": values(before), "secondHalf": values(after),
      "stale": values(stale), "violations": violations.json,
    ]
  }
}
