public import LinuxSystem
internal import Recording
public import Values

/// Seals a fleet's sessions on its own thread, with its own connection. Each session that is
/// complete and receives no more data becomes an object in an S3 bucket. A day's table is dropped
/// once all its chunks are in objects. Several programs can seal sessions at the same time.
public final class Sealer: Sendable {
  private let thread: NamedThread
  private let stopping = StopFlag()
  private let over = Monitor(false)
  private let objects: ObjectStore

  /// Starts sealing sessions into `objects`. No other code may use `objects`, because `stop` closes
  /// it.
  ///
  /// - Parameter quietSeconds: Seconds without new data after which a session is sealed.
  /// - Parameter report: A function that is called with each event, on the sealer's thread.
  public init(
    _ address: String, _ objects: ObjectStore, quietSeconds: Double,
    report: @escaping @Sendable (LogEvent) -> Void
  ) throws(SystemError) {
    self.objects = objects
    thread = try NamedThread("sealer") { [stopping, over] in
      SealingLoop(
        address, objects, quietSeconds: quietSeconds, stop: stopping, over: over, report: report
      ).run()
    }
  }

  deinit {
    stop()
  }

  /// Aborts the current work and ends the thread. Another upload server resumes the work later.
  public func stop() {
    stopping.raise()
    over.change { $0 = true }
    objects.close()
    thread.join()
  }
}

private final class SealingLoop {
  private let address: String
  private let objects: ObjectStore
  private let quietSeconds: Double
  private let stop: StopFlag
  private let over: Monitor<Bool>
  private let report: @Sendable (LogEvent) -> Void
  /// The number of times that each fault has occurred since the last session was sealed.
  private var faults: [String: Int] = [:]
  /// Sessions that were reported as being sealed but are not finished yet.
  private var announced: Set<UniqueID> = []
  private var lastLookAtDays: BootTime?

  /// Seconds between rounds of sealing. `restSeconds` is the longer pause after a fault, and also
  /// the interval between searches for day tables to drop.
  private var roundSeconds: Double { min(10, max(0.1, quietSeconds / 4)) }
  private var restSeconds: Double { min(60, max(1, quietSeconds)) }

  init(
    _ address: String, _ objects: ObjectStore, quietSeconds: Double, stop: StopFlag,
    over: Monitor<Bool>, report: @escaping @Sendable (LogEvent) -> Void
  ) {
    self.address = address
    self.objects = objects
    self.quietSeconds = quietSeconds
    self.stop = stop
    self.over = over
    self.report = report
  }

  func run() {
    var tables: SealingTables?
    while !stop.isRaised {
      var rest = roundSeconds
      do throws(SealingFault) {
        if tables == nil { tables = try open() }
        if let tables { try round(tables) }
      } catch {
        if error.reach != .stopping { tell(error) }
        rest = restSeconds
      }
      _ = over.wait(seconds: rest) { $0 ? true : nil }
    }
  }

  private func open() throws(SealingFault) -> SealingTables {
    do throws(StoreError) {
      // Marking all chunks of a long session as sealed takes a few seconds, so allow more time for
      // a reply.
      let fleet = try FleetDatabase(address, limit: 60)
      try fleet.checkVersion()
      return SealingTables(fleet)
    } catch {
      throw SealingFault(error)
    }
  }

  /// Seals the sessions that are ready and drops the tables that are no longer needed.
  private func round(_ tables: SealingTables) throws(SealingFault) {
    let work = SessionSealing(tables, objects, stop: stop)
    for candidate in try asking({ () throws(StoreError) in
      try tables.candidates(quietSeconds: quietSeconds)
    }) {
      if stop.isRaised { throw .stopping }
      let taken = try asking { () throws(StoreError) in try tables.take(candidate) }
      guard let session = taken else { continue }
      do throws(SealingFault) {
        try seal(session, work)
      } catch {
        // If the lease cannot be released because the database is unreachable, the lease expires
        // after a while.
        if error.reach == .stopping {
          try? tables.release(session)
        } else {
          // A fault that affects only one session rarely goes away without intervention, and each
          // attempt writes a file.
          let seconds = error.reach == .session ? 10 * restSeconds : restSeconds
          try? tables.postpone(session, seconds: seconds, fault: error.message)
        }
        guard error.reach == .session else { throw error }
        tell(error)
      }
    }
    let now = BootClock.now()
    guard lastLookAtDays.map({ now.seconds(since: $0) >= restSeconds }) ?? true else { return }
    lastLookAtDays = now
    for table in try asking({ () throws(StoreError) in try tables.dropDays() }) {
      report(LogEvent(.notice, "dropped", ["table": table]))
    }
  }

  private func seal(
    _ session: SealingTables.Candidate, _ work: SessionSealing
  ) throws(SealingFault) {
    let start = BootClock.now()
    let outcome = try work.seal(session) { begun in
      // Limit the number of announced sessions. While the S3 service is unreachable, this number
      // grows, because sessions are announced but none is sealed.
      if announced.count > 1_000 { announced = [] }
      guard announced.insert(begun.session).inserted else { return }
      report(
        LogEvent(
          .notice, "sealing",
          [
            "session": "\(begun.session)", "chunks": "\(begun.chunks)", "bytes": "\(begun.bytes)",
          ]))
    }
    guard let outcome else { return }
    faults = [:]
    announced = []
    let seconds = BootClock.now().seconds(since: start)
    report(
      LogEvent(
        .notice, "sealed",
        [
          "object": outcome.object, "chunks": "\(outcome.chunks)", "bytes": "\(outcome.bytes)",
          "seconds": "\((seconds * 10).rounded() / 10)",
        ]))
  }

  /// Reports a fault when it first occurs, and again each time its count has doubled.
  private func tell(_ fault: SealingFault) {
    let cause = fault.reach == .all ? fault.remedy : fault.message
    let count = (faults[cause] ?? 0) + 1
    if faults.count > 1_000 { faults = [:] }
    faults[cause] = count
    guard count & (count - 1) == 0 else { return }
    report(
      LogEvent(
        .warning, "not sealed",
        ["reason": fault.message, "times": "\(count)", "remedy": fault.remedy]))
  }

  private func asking<Value>(
    _ question: () throws(StoreError) -> Value
  ) throws(SealingFault) -> Value {
    do {
      return try question()
    } catch {
      throw SealingFault(error)
    }
  }
}
