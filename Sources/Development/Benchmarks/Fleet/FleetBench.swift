internal import FleetStore
internal import LinuxSystem
internal import Values

/// `bench fleet`: receivers that share a PostgreSQL database, and the chunks of many gateways.
public struct FleetBench: Sendable {
  /// Requests under way at a time, each on its own connection.
  private static let lanes = 32
  /// Seconds from one kill to the next.
  private static let killSeconds = 3.0

  private let options: FleetOptions
  private let stopping = StopFlag()

  /// Runs the command with the arguments after `fleet`.
  public static func run(_ arguments: ArraySlice<String>) async -> BenchCommand.Outcome {
    if arguments.contains("--help") { return BenchCommand.Outcome(output: [FleetOptions.usage]) }
    let options: FleetOptions
    do throws(FleetOptions.Problem) {
      options = try FleetOptions(arguments)
    } catch {
      return BenchCommand.Outcome(
        complaint: ["error: \(error.text)", "       try 'bench fleet --help'"], status: 2)
    }
    let bench = FleetBench(options: options)
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
      // Thousands of gateways are made one by one, each with a sync that nothing depends on.
      let server = try await FleetServer()
      do {
        try await server.start(["fsync=off"])
        let gateways = try makeGateways(server.address)
        await server.end()
        try await server.start()
        let report = try await measure(gateways, server)
        await server.remove()
        return BenchCommand.Outcome(
          output: options.isJSON ? [report.json.text] : report.lines,
          complaint: report.violations.map { "BROKEN \($0)" },
          status: report.violations.isEmpty ? 0 : 1)
      } catch {
        await server.remove()
        throw error
      }
    } catch {
      return BenchCommand.Outcome(error)
    }
  }

  /// Makes the tables, and the gateways with their tokens.
  private func makeGateways(_ address: String) throws -> [FleetLane.Gateway] {
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    return try (0..<options.gateways).map { number in
      guard !stopping.isRaised else { throw MeasurementError("it was interrupted") }
      let id = UniqueID.random()
      return FleetLane.Gateway(id: id, token: try fleet.add("gateway \(number)", gateway: id))
    }
  }

  /// Sends until the end, kills meanwhile, and compares.
  private func measure(
    _ gateways: [FleetLane.Gateway], _ server: FleetServer
  ) async throws -> FleetReport {
    var receivers = try FleetReceivers(options.receivers, into: server.address)
    let ports = receivers.ports
    let chunks = FleetChunks()
    let ledger = Guarded(FleetLedger())
    let count = min(Self.lanes, gateways.count)
    let working = Guarded(count)
    let start = BootClock.now()
    let end = start.advanced(bySeconds: Double(options.seconds))
    let before = ProcessorClock.nanoseconds(of: ThisProcess.id)
    let threads = try (0..<count).map { number in
      let share = stride(from: number, to: gateways.count, by: count).map { gateways[$0] }
      return try NamedThread("lane \(number)") { [stopping] in
        var lane = FleetLane(share, chunks, ports: ports, from: start, to: end, stopping)
        let found = lane.run()
        ledger.withLock { $0.add(found) }
        working.withLock { $0 -= 1 }
      }
    }
    var kills = FleetReport.Kills()
    var failure: (any Error)?
    do {
      let interval = min(Self.killSeconds, Double(options.seconds) / 4)
      var next = start.advanced(bySeconds: interval)
      while working.withLock({ $0 }) > 0, !stopping.isRaised {
        try? await Task.sleep(for: .milliseconds(50))
        let now = BootClock.now()
        guard options.kills, next <= now, now < end else { continue }
        next = now.advanced(bySeconds: interval)
        if kills.databases == 0, now.seconds(since: start) > Double(options.seconds) / 2 {
          kills.databases += 1
          server.kill()
          try await server.start()
        } else {
          try receivers.replace(kills.receivers % options.receivers)
          kills.receivers += 1
        }
      }
    } catch {
      stopping.raise()
      failure = error
    }
    let own = ProcessorClock.nanoseconds(of: ThisProcess.id) - before
    let others = receivers.processorSeconds
    // A lane that still waits for an answer finds its connection closed.
    receivers.end()
    for thread in threads { thread.join() }
    if let failure { throw failure }
    guard !stopping.isRaised else { throw MeasurementError("it was interrupted") }
    let found = ledger.withLock { $0 }
    return FleetReport(
      options: options, machine: .current(), requestsAtOnce: count, kills: kills, ledger: found,
      oracle: try await FleetOracle(found, server),
      processor: (receivers: others, bench: own / 1e9))
  }
}
