public import LinuxSystem
internal import Sharing
internal import Recording
public import Values

/// Saves a hub's last known states in the database, at most once a second. The work runs on its own
/// thread, `live-store`, so no other thread has to wait for the database.
public final class LiveKeeper: Sendable {
  /// Seconds between saves.
  private static let roundSeconds = 1.0
  /// Seconds between checks of the gateways and tokens in the database.
  private static let memberSeconds = 10.0
  /// Seconds between checks of the database while messages from unknown gateways are buffered.
  private static let strangerSeconds = 2.0

  private let bell: WakeUp
  private let isStopped = Guarded(false)
  private let thread = Guarded<NamedThread?>(nil)
  private let hub: LiveHub
  private let report: @Sendable (LogEvent) -> Void

  /// Starts saving a hub's states in the database at `address`.
  public init(
    _ hub: LiveHub, into address: String, report: @escaping @Sendable (LogEvent) -> Void
  ) throws(SystemError) {
    self.hub = hub
    self.report = report
    bell = try WakeUp()
    let thread = try NamedThread("live-store") { [self] in keep(address) }
    self.thread.withLock { $0 = thread }
  }

  /// Saves the states that are still unsaved and ends the thread.
  public func stop() {
    isStopped.withLock { $0 = true }
    bell.ring()
    // The database may block the thread, so wait only briefly. Any unsaved states will arrive again
    // with later messages.
    thread.withLock { $0.take() }?.join(within: 2)
  }

  private func keep(_ address: String) {
    var polls = PollSet()
    polls.add(bell.number)
    var fleet: FleetDatabase?
    var members = BootTime(nanoseconds: .min / 2)
    var hasLoaded = false
    var isTold = false
    var isLast = false
    while true {
      do throws(StoreError) {
        let database: FleetDatabase
        if let fleet { database = fleet } else { database = try FleetDatabase(address) }
        fleet = database
        let now = BootClock.now()
        let age = now.seconds(since: members)
        if age >= Self.memberSeconds || (age >= Self.strangerSeconds && hub.hasStrangers) {
          members = now
          hub.take(gateways: try database.gatewayNames())
          try checkReaders(database)
        }
        if !hasLoaded {
          try load(database)
          hasLoaded = true
        }
        try save(database)
        isTold = false
      } catch {
        if !isTold {
          isTold = true
          report(
            LogEvent(
              .warning, "live state not saved",
              ["reason": error.message, "remedy": error.remedy]))
        }
      }
      if isLast { return }
      isLast = isStopped.withLock { $0 }
      if !isLast { polls.wait(seconds: Self.roundSeconds) }
      bell.clear()
    }
  }

  /// Loads the last states that other upload servers saved, or that this server saved in an earlier
  /// run.
  private func load(_ database: FleetDatabase) throws(StoreError) {
    let now = LiveMessage.Arrival(
      boot: BootClock.now(), utc: BootClock.systemTime(),
      isClockSynchronised: BootClock.isSystemTimeSynchronised, isDirect: false)
    for (name, row) in try database.liveRows().rows {
      guard let message = LiveMessage(row, at: now) else { continue }
      hub.take(message, of: LiveHub.Key(gateway: name, kind: row.kind))
    }
  }

  private func save(_ database: FleetDatabase) throws(StoreError) {
    let unsaved = hub.takeUnsaved()
    let now = BootClock.now()
    do throws(StoreError) {
      try database.save(
        unsaved.map { key, gateway, message in
          FleetDatabase.LiveRow(
            gateway: gateway, kind: key.kind, content: message.content, sent: message.sent,
            isDirect: message.arrival.isDirect, age: now.seconds(since: message.arrival.boot))
        })
    } catch {
      hub.takeBack(unsaved)
      throw error
    }
  }

  private func checkReaders(_ database: FleetDatabase) throws(StoreError) {
    let tokens = hub.tokens
    guard !tokens.isEmpty else { return }
    hub.keepReaders(withTokens: try database.goodTokens(among: tokens))
  }
}
