internal import Gateway
internal import Glibc
internal import LinuxSystem
internal import Terminal
internal import Values

/// `bench soak`: runs the gateway as a service, and injects a fault every few minutes.
public struct SoakCommand: Sendable {
  /// The time limit in seconds for a healthy gateway to start working.
  private static let startSeconds = 90.0
  /// The time limit in seconds for a gateway to exit after a request to stop.
  private static let endSeconds = 5.0
  /// Seconds between two status queries.
  private static let lookSeconds = 1.0
  /// Limits on a gateway's growth during a soak: its memory in bytes, and its number of
  /// descriptors. Some growth is allowed because a new recording uses different buffers from the
  /// first.
  private static let growth = (memory: 4 << 20, descriptors: 4)
  /// The private disk's size in megabytes: more than twice the space that recordings leave free.
  /// Only root can create the disk.
  private static let diskMegabytes = 768

  private let options: SoakOptions
  private let print: @Sendable (String) -> Void
  private let stopping = StopFlag()

  /// Runs the command with the arguments that follow `soak`. Each line is printed immediately.
  public static func run(
    _ arguments: ArraySlice<String>, print: @escaping @Sendable (String) -> Void
  ) async -> BenchCommand.Outcome {
    if arguments.contains("--help") { return BenchCommand.Outcome(output: [SoakOptions.usage]) }
    let options: SoakOptions
    do throws(SoakOptions.Problem) {
      options = try SoakOptions(arguments)
    } catch {
      return BenchCommand.Outcome(
        complaint: ["error: \(error.text)", "       try 'bench soak --help'"], status: 2)
    }
    let command = SoakCommand(options: options, print: print)
    let received = Guarded<Int32?>(nil)
    let watch = try? SignalWatch { [stopping = command.stopping] number, _ in
      received.withLock { $0 = number }
      stopping.raise()
    }
    let outcome =
      options.disk == nil && getuid() == 0
      ? await BenchCommand.Outcome(of: { try await withOwnDisk(arguments) })
      : await command.outcome()
    return withExtendedLifetime(watch) {
      received.withLock { $0 }.map { BenchCommand.Outcome(status: 128 + $0) } ?? outcome
    }
  }

  /// Runs the command again in a process with a small private disk.
  private static func withOwnDisk(_ arguments: ArraySlice<String>) async throws -> Int32 {
    let folder = try TemporaryFolder(prefix: "footbridge-soak-disk")
    let mount = "mount -t tmpfs -o size=\(diskMegabytes)m none \"$1\" && shift && exec \"$@\""
    let child = try ChildProcess(
      "unshare",
      ["--mount", "sh", "-c", mount, "sh", folder.path, ThisProcess.program, "soak"] + arguments
        + ["--disk", folder.path], as: .command)
    return await child.end()
  }

  private func outcome() async -> BenchCommand.Outcome {
    do {
      let broken = try await soak()
      return BenchCommand.Outcome(
        complaint: broken.map { "BROKEN \($0)" }, status: broken.isEmpty ? 0 : 1)
    } catch {
      return BenchCommand.Outcome(error)
    }
  }

  /// Runs the soak and returns descriptions of the violated limits.
  private func soak() async throws -> [String] {
    let program = try UploadReceiver.program()
    let world = try SoakWorld(program, disk: options.disk)
    for fault in SoakFault.allCases where !world.has(fault) {
      print("\(fault.rawValue): skipped, since there is no disk to fill; see --disk")
    }
    try await world.addDestination()
    let gateway = try SoakGateway(
      program, configuration: world.configuration, environment: world.environment,
      log: world.log)
    var status = try await healthy(gateway, within: Self.startSeconds)
    // Until each fault has happened once, the gateway grows because it uses some components for the
    // first time.
    var before: (memory: Int, descriptors: Int)?
    var broken: [String] = []
    var rows: [[String]] = []
    let faults = SoakFault.allCases.filter { world.has($0) }
    let end = now + options.minutes * 60
    var number = 0
    while now + options.every <= end, !stopping.isRaised {
      if number == faults.count { before = gateway.resources }
      let fault = faults[number % faults.count]
      number += 1
      status = gateway.status() ?? status
      let observation = try await inflict(fault, world, gateway, status)
      rows.append(observation.row)
      let violations = observation.violations
      broken += violations.map { "\(fault.rawValue): \($0)" }
      let kilobytes = (gateway.resources?.memory ?? 0) / 1_000
      print(
        "\(violations.isEmpty ? "ok    " : "BROKEN") \(kilobytes) kB | "
          + observation.row.joined(separator: " | "))
    }
    let after = gateway.resources
    let asked = now
    let ending = await gateway.end()
    let seconds = now - asked
    if ending != 0 { broken.append("the gateway exited with status \(ending)") }
    if seconds > Self.endSeconds {
      broken.append("the gateway took \(SoakObservation.seconds(seconds)) s to exit")
    }
    let counts = try world.counts()
    broken += counts.violations + world.complaints
    if after == nil { broken.append("the gateway exited on its own") }
    if let before, let after { broken += Self.growth(from: before, to: after) }
    report(rows, counts, from: before, to: after, end: seconds)
    if !broken.isEmpty { print("the gateway's log:\n" + (WholeFile.text(world.log) ?? "")) }
    return broken
  }

  /// Injects a fault, and watches the gateway until the next fault is due.
  private func inflict(
    _ fault: SoakFault, _ world: SoakWorld, _ gateway: SoakGateway, _ status: GatewayStatus
  ) async throws -> SoakObservation {
    let begun = now
    var observation = SoakObservation(
      fault, destination: SoakWorld.destination, at: begun, status)
    try await world.begin(fault, gateway)
    var isOver = false
    var cured = Double.infinity
    // The next fault waits until this one is over, up to a limit.
    while !stopping.isRaised,
      now - begun < options.every
        || !observation.isOver && now < cured + SoakObservation.longestPause
    {
      if !isOver, now - begun >= min(fault.seconds, options.every / 2) {
        isOver = true
        try await world.end(fault, gateway)
        cured = now
        observation.cure(at: cured)
      }
      if let status = gateway.status() { observation.note(status, at: now) }
      await pause(Self.lookSeconds)
    }
    return observation
  }

  private func healthy(
    _ gateway: SoakGateway, within seconds: Double
  ) async throws -> GatewayStatus {
    let limit = now + seconds
    while now < limit, !stopping.isRaised {
      if let status = gateway.status(), status.works, status.recording.phase == .recording,
        status.boards.allSatisfy({ $0.phase == .streaming })
      {
        return status
      }
      await pause(Self.lookSeconds)
    }
    throw MeasurementError(
      "the gateway still does not work after \(Int(seconds)) s without a fault")
  }

  // MARK: Report

  private static func growth(
    from before: (memory: Int, descriptors: Int), to after: (memory: Int, descriptors: Int)
  ) -> [String] {
    var broken: [String] = []
    if after.memory > before.memory + growth.memory {
      broken.append("memory grew from \(before.memory) to \(after.memory) bytes")
    }
    if after.descriptors > before.descriptors + growth.descriptors {
      broken.append("descriptors grew from \(before.descriptors) to \(after.descriptors)")
    }
    return broken
  }

  private func report(
    _ rows: [[String]], _ counts: SoakCounts, from before: (memory: Int, descriptors: Int)?,
    to after: (memory: Int, descriptors: Int)?, end seconds: Double
  ) {
    var table = TextTable([
      .init("fault"), .init("reported after s", .right), .init("recovered after s", .right),
      .init("no samples for s", .right), .init("in the status"), .init("remedy"),
    ])
    for row in rows { table.append(row) }
    print("")
    for line in table.lines { print(line) }
    print("")
    print(counts.line)
    for (place, value) in [("after each fault once", before), ("at the end", after)] {
      guard let value else { continue }
      print(
        "\(place): \(SoakObservation.seconds(Double(value.memory) / 1e6)) MB of memory, "
          + "\(value.descriptors) descriptors")
    }
    print("end: \(SoakObservation.seconds(seconds)) s after SIGTERM")
  }

  // MARK: Time

  private var now: Double { Double(BootClock.now().nanoseconds) / 1e9 }

  private func pause(_ seconds: Double) async {
    let limit = now + seconds
    while now < limit, !stopping.isRaised {
      try? await Task.sleep(for: .milliseconds(Int(min(0.5, limit - now) * 1_000)))
    }
  }
}
