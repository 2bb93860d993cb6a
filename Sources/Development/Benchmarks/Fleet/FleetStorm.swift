internal import LinuxSystem
internal import Values

/// Injects faults into a fleet under load, one after another. A seed determines which receiver or
/// standby fails.
struct FleetStorm {
  /// A record of an injected fault. Times are in seconds since the start of the run.
  struct Event: Sendable {
    var fault: FleetFault
    var began: Double
    /// The time at which all servers and receivers were running again.
    var ended: Double
    /// The time at which the full disk had free space again; `nil` for other faults.
    var eased: Double?

    /// Returns the longest time in seconds without an acknowledged chunk, from the fault to one
    /// second after its repair. For a full disk, counts from the time when space was freed to the
    /// next acknowledged chunk; infinite if there is none.
    func pause(_ ledger: FleetLedger) -> Double {
      if let eased {
        return ledger.times.first { $0 > eased }.map { $0 - eased } ?? .infinity
      }
      return ledger.longestPause(from: began, to: ended + 1)
    }
  }

  /// The time limit in seconds for a full disk to stop all acknowledgements.
  private static let fullSeconds = 20.0
  /// The time limit in seconds for a newly added receiver to get its first request.
  private static let addingSeconds = 60.0

  private let cluster: FleetCluster
  private let proxy: FleetProxy?
  private let disk: FleetDisk?
  private let course: FleetLane.Course
  private(set) var receivers: FleetReceivers
  private var generator: SplitMix64
  private(set) var events: [Event] = []
  /// The number of requests that were pending when the proxy was killed.
  private(set) var cut = 0
  /// Seconds from the start of a newly added receiver to its first acknowledgement of a chunk.
  private(set) var addingSeconds: Double?
  /// Descriptions of events that must not happen.
  private(set) var violations: [String] = []

  init(
    _ cluster: FleetCluster, _ receivers: FleetReceivers, _ proxy: FleetProxy?, disk: FleetDisk?,
    _ course: FleetLane.Course
  ) {
    self.cluster = cluster
    self.receivers = receivers
    self.proxy = proxy
    self.disk = disk
    self.course = course
    generator = SplitMix64(seed: course.seed &+ 1)
  }

  /// Injects the faults, spread over `seconds`. Returns when the time has elapsed and all faults
  /// have been repaired, or when the run must stop.
  mutating func rage(_ faults: [FleetFault], seconds: Double) async throws {
    let step = seconds * 0.85 / Double(max(1, faults.count))
    var next = 0
    var earliest = seconds * 0.05
    while !course.stopping.isRaised {
      try? await Task.sleep(for: .milliseconds(50))
      for number in receivers.ended {
        violations.append("receiver \(number) exited on its own")
        try receivers.replace(number)
      }
      let now = course.now
      if next == faults.count {
        if now >= seconds { return }
      } else if now >= earliest {
        let began = course.now
        let eased = try await inflict(faults[next])
        events.append(Event(fault: faults[next], began: began, ended: course.now, eased: eased))
        next += 1
        earliest = max(course.now + 1, seconds * 0.05 + step * Double(next))
      }
    }
  }

  /// Injects a fault and repairs it. Returns the time at which a full disk had free space again, or
  /// `nil` for any other fault.
  private mutating func inflict(_ fault: FleetFault) async throws -> Double? {
    switch fault {
    case .receiverKilled:
      try receivers.replace(.random(in: 0..<receivers.count, using: &generator))
    case .primaryKilled:
      let lost = cluster.primary
      lost.kill()
      if cluster.standbys.isEmpty {
        try await cluster.restart(lost)
      } else {
        try await cluster.failOver()
        try await cluster.bringBack(lost)
      }
    case .standbyKilled:
      guard let lost = cluster.standbys.randomElement(using: &generator) else { return nil }
      lost.kill()
      try await Task.sleep(for: .seconds(2))
      try await cluster.restart(lost)
    case .proxyKilled: try await cutProxy()
    case .receiverAdded: try await addReceiver()
    case .diskFull: return try await fillDisk()
    }
    return nil
  }

  private mutating func cutProxy() async throws {
    guard let proxy else { return }
    let limit = course.now + 5
    while course.pulse.underWay < 2, course.now < limit { await Task.yield() }
    cut += course.pulse.underWay
    proxy.kill()
    try await proxy.start()
  }

  private mutating func addReceiver() async throws {
    let began = course.now
    let name = FleetReceivers.name(receivers.count)
    try receivers.add()
    while !course.pulse.hasAcknowledged(name) {
      guard course.now - began < Self.addingSeconds else {
        violations.append("an added receiver got no requests")
        return
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    addingSeconds = course.now - began
  }

  private func fillDisk() async throws -> Double {
    guard let disk else { return course.now }
    let primary = cluster.primary
    try disk.fill()
    let limit = course.now + Self.fullSeconds
    // The disk counts as full once nothing has been stored for a while. Until then, some tables may
    // still have space for more chunks.
    while course.now - course.pulse.last < 2, course.now < limit {
      try await Task.sleep(for: .milliseconds(50))
    }
    disk.free()
    let eased = course.now
    // A server exits if it has no space for its log.
    if !primary.isRunning { try await primary.start() }
    try await cluster.waitUntilWhole()
    return eased
  }
}
