internal import Fleet
internal import Glibc
internal import LinuxSystem
internal import Values

/// `bench fleet`: measures receivers that share a PostgreSQL database and store chunks from many
/// gateways.
public struct FleetBench: Sendable {
  /// The number of threads that simulate gateways. If a rate is given, each thread has many pending
  /// requests at once.
  private static let lanes = (paced: 8, free: 32)
  /// The disk space in bytes that an empty server needs, and the additional space for each chunk.
  private static let diskBytes = (least: 4 << 30, chunk: 20_000)

  private let options: FleetOptions
  private let stopping = StopFlag()

  /// Runs the command with the arguments that follow `fleet`.
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
    let needsDisk = options.isCluster && options.kills > 0 && !options.hasTriedDisk
    let outcome =
      needsDisk && getuid() == 0
      ? await BenchCommand.Outcome(of: { try await withOwnDisk(arguments, options) })
      : await bench.outcome()
    return withExtendedLifetime(watch) {
      received.withLock { $0 }.map { BenchCommand.Outcome(status: 128 + $0) } ?? outcome
    }
  }

  private static func withOwnDisk(
    _ arguments: ArraySlice<String>, _ options: FleetOptions
  ) async throws -> Int32 {
    let chunks = options.seconds * (options.rate ?? 0)
    return try await FleetDisk.run(
      arguments, bytes: diskBytes.least + chunks * diskBytes.chunk)
  }

  private func outcome() async -> BenchCommand.Outcome {
    do {
      Self.allowManyFiles()
      let cluster = try await FleetCluster(servers: options.isCluster ? 3 : 1, disk: options.disk)
      do {
        let outcome = options.isRows ? try await compare(cluster) : try await measure(cluster)
        await cluster.remove()
        return outcome
      } catch {
        await cluster.remove()
        throw error
      }
    } catch {
      return BenchCommand.Outcome(error)
    }
  }

  /// Raises the limit on open files. Each gateway needs a connection, and the usual limit is 1,024.
  private static func allowManyFiles() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private func compare(_ cluster: FleetCluster) async throws -> BenchCommand.Outcome {
    try await cluster.start()
    let rows = try await FleetRows(cluster, seed: options.seed, stopping)
    return BenchCommand.Outcome(output: options.isJSON ? [rows.json.text] : rows.lines)
  }

  private func measure(_ cluster: FleetCluster) async throws -> BenchCommand.Outcome {
    // Thousands of gateways are added one by one. Without this setting, each insert would wait for
    // a sync, which is not needed here.
    try await cluster.startAlone(["fsync=off"])
    let gateways = try makeGateways(cluster.address)
    try await cluster.start()
    let report = try await load(gateways, cluster)
    return BenchCommand.Outcome(
      output: options.isJSON ? [report.json.text] : report.lines,
      complaint: report.violations.map { "BROKEN \($0)" },
      status: report.violations.isEmpty ? 0 : 1)
  }

  /// Creates the tables and adds the gateways with their tokens.
  private func makeGateways(_ address: String) throws -> [FleetGateway] {
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    return try (0..<options.gateways).map { number in
      guard !stopping.isRaised else { throw MeasurementError("the run was interrupted") }
      let id = UniqueID.random()
      return FleetGateway(id: id, token: try fleet.add("gateway \(number)", gateway: id))
    }
  }

  /// Sends chunks and injects faults until the run ends, then compares the results with the
  /// database.
  private func load(_ gateways: [FleetGateway], _ cluster: FleetCluster) async throws -> FleetReport
  {
    let receivers = try FleetReceivers(
      options.receivers, more: options.isCluster ? 1 : 0, into: cluster.address)
    let folder = try TemporaryFolder(prefix: "footbridge-fleet-proxy")
    let proxy = options.isCluster ? try await makeProxy(receivers, in: folder.path) : nil
    let ports = proxy.map { [$0.port] } ?? Array(receivers.ports)
    let before = (log: try await cluster.logBytes(), tables: try await cluster.tableBytes())
    let course = FleetLane.Course(
      ports: ports, interval: options.rate.map { Double(gateways.count) / Double($0) },
      seed: options.seed, start: BootClock.now(), stopping: stopping)
    var storm = FleetStorm(
      cluster, receivers, proxy, disk: options.disk.map { FleetDisk(path: $0) }, course)
    let own = ProcessorClock.nanoseconds(ofRunning: ThisProcess.id)
    let ledger = Guarded(FleetLedger())
    let threads = try makeLanes(gateways, course, ledger)
    var failure: (any Error)?
    do {
      try await storm.rage(FleetFault.plan(options), seconds: Double(options.seconds))
    } catch {
      stopping.raise()
      failure = error
    }
    course.ending.raise()
    for thread in threads { thread.join() }
    let processor = (
      receivers: storm.receivers.processorSeconds,
      bench: (ProcessorClock.nanoseconds(ofRunning: ThisProcess.id) - own) / 1e9
    )
    defer { storm.receivers.end() }
    if let failure { throw failure }
    guard !stopping.isRaised else { throw MeasurementError("the run was interrupted") }
    let log = try await cluster.logBytes() - before.log
    let tables = try await cluster.tableBytes() - before.tables
    var found = ledger.withLock { $0 }
    found.times.sort()
    return FleetReport(
      options: options, machine: .current(), lanes: threads.count, storm: storm,
      copies: cluster.copies, ledger: found,
      oracle: try await FleetOracle(found, gateways, cluster, ports: ports, course.chunks),
      processor: processor, logBytes: log, tableBytes: tables,
      bodyBytes: try await cluster.bodyBytes())
  }

  private func makeProxy(
    _ receivers: FleetReceivers, in folder: String
  ) async throws -> FleetProxy {
    let servers = receivers.ports.enumerated().map { (FleetReceivers.name($0.offset), $0.element) }
    // A gateway that sends to two receivers at the same time needs two connections.
    return try await FleetProxy(
      servers.map { (name: $0.0, port: $0.1) }, connections: 100 + options.gateways * 3 / 2,
      in: folder)
  }

  private func makeLanes(
    _ gateways: [FleetGateway], _ course: FleetLane.Course, _ ledger: Guarded<FleetLedger>
  ) throws -> [NamedThread] {
    let count = min(options.rate == nil ? Self.lanes.free : Self.lanes.paced, gateways.count)
    return try (0..<count).map { number in
      let share = stride(from: number, to: gateways.count, by: count).map {
        (number: $0, gateway: gateways[$0])
      }
      return try NamedThread("lane \(number)") {
        var lane = FleetLane(share, course)
        let found = lane.run()
        ledger.withLock { $0.add(found) }
      }
    }
  }
}
