public import LinuxSystem
internal import Recording
public import Values

/// Seals the sessions of a fleet on its own thread, with a connection of its own: each session that
/// is complete and quiet becomes an object of an S3 service, and the tables of days go whose
/// chunks are all in objects. Any number of programs may do so at once.
public final class Sealer: Sendable {
  private let thread: NamedThread
  private let stopping = StopFlag()
  private let over = Monitor(false)
  private let objects: ObjectStore

  /// Begins to seal into `objects`, which is for this object alone.
  ///
  /// - Parameter quietSeconds: how long nothing must have come of a session.
  /// - Parameter report: gets what happens, on the thread.
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

  /// Gives up what is under way, which a later upload server takes up again, and ends the thread.
  public func stop() {
    stopping.raise()
    over.change { $0 = true }
    objects.close()
    thread.join()
  }
}

/// The rounds of the thread `sealer`.
private final class SealingLoop {
  private let address: String
  private let objects: ObjectStore
  private let quietSeconds: Double
  private let stop: StopFlag
  private let over: Monitor<Bool>
  private let report: @Sendable (LogEvent) -> Void
  /// How often each kind of fault has been seen since a session was sealed.
  private var faults: [String: Int] = [:]
  /// Sessions whose sealing was reported as begun, and which have not been sealed since.
  private var announced: Set<UniqueID> = []
  private var lastLookAtDays: BootTime?

  /// Seconds between two rounds, and after a fault or between two looks at the days.
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
      // To mark the chunks of a long session takes some seconds.
      let fleet = try FleetDatabase(address, limit: 60)
      try fleet.checkVersion()
      return SealingTables(fleet)
    } catch {
      throw SealingFault(error)
    }
  }

  /// Seals what is ready, and drops the tables that are not needed any more.
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
        // If the database is away too, the lease runs out.
        if error.reach == .stopping {
          try? tables.release(session)
        } else {
          // What is wrong with one session, time does not cure, and each attempt costs a file.
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
      // While the service is away, each session is tried again and again.
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

  /// Reports a fault once for its cause, and again with the count when that has doubled.
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
