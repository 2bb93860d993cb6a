internal import LinuxSystem
internal import Sharing
internal import Recording
internal import Values

/// Sends this gateway's state and position to a fleet, according to `SharingRule`. No other
/// component waits for this keeper: without a broker, only live updates are lost.
final class SharingKeeper: Sendable {
  private struct State: Sendable {
    var plan: SharingPlan?
    /// The fleet and its broker, or `nil` if nothing is shared.
    var route: SharingPlan.Route?
    var rule: SharingRule?
    var broker: BrokerConnection?
    var connections = 0
    var last: SharedStatus?
    /// The last known position, kept even after its recording ends.
    var fix: Fix?
    /// Connections from previous plans that are still being used to delete retained messages, each
    /// with its deadline.
    var leaving: [(broker: BrokerConnection, end: BootTime)] = []
    var failing: BootTime?
    var reason = RepeatedReason()
  }

  /// Seconds allowed for deleting a previous plan's messages.
  private static let leavingSeconds = 60.0
  /// Seconds allowed for the last messages when the gateway stops.
  private static let endSeconds = 2.0

  private let state: Guarded<State>
  private let reporter: DaemonReporter
  private let reading: FleetReading
  private let database: DatabaseReading

  init(_ plan: DaemonPlan, _ reporter: DaemonReporter) {
    self.reporter = reporter
    reading = FleetReading(reporter)
    database = DatabaseReading(reporter)
    state = Guarded(State())
    take(plan)
  }

  func take(_ plan: DaemonPlan) {
    let now = BootClock.now()
    reading.take(plan.sharing.sharesPosition ? plan.route : nil)
    database.take(
      plan.liveLocation.map { DatabaseReading.Source(store: plan.store, destination: $0) })
    let shouldStart = state.withLock { state -> SharingPlan.Route? in
      let route = plan.route
      guard plan.sharing != state.plan || route != state.route else { return nil }
      let former = state.route
      state.plan = plan.sharing
      state.route = route
      // A new rule sends or deletes every message once, because the broker may have retained
      // messages from an earlier run.
      state.rule = route.map { _ in SharingRule(plan.sharing) }
      guard route != former else { return state.broker == nil ? route : nil }
      if let former, let broker = state.broker {
        for kind in LiveTopic.Kind.allCases { Self.delete(kind, by: broker, former) }
        state.leaving.append((broker, now.advanced(bySeconds: Self.leavingSeconds)))
      }
      state.broker = nil
      state.failing = nil
      return route
    }
    if let shouldStart { start(shouldStart) }
  }

  private func start(_ route: SharingPlan.Route) {
    do throws(SystemError) {
      let broker = try BrokerConnection(route.settings)
      state.withLock {
        $0.broker = broker
        $0.connections = 0
      }
    } catch {
      reporter.log(
        LogEvent(
          .warning, "nothing is shared", ["reason": error.description, "remedy": error.remedy]))
    }
  }

  /// Sends the messages that are due, based on the current status and the recording's last fix.
  func note(_ status: GatewayStatus, _ fix: Fix?, at now: BootTime) {
    let minute = LocalTime.minuteOfDay()
    let (failure, isSharing) = state.withLock { state -> (BrokerFailure?, Bool) in
      Self.letGo(of: &state.leaving, at: now)
      if let fix { state.fix = fix }
      let utc = BootClock.systemTime()
      let shared = SharedStatus(status, at: utc)
      state.last = shared
      guard let plan = state.plan, let route = state.route, let broker = state.broker else {
        return (nil, false)
      }
      let condition = broker.state
      if condition.connections != state.connections {
        // After a reconnection, all current values are sent again. Messages that are still queued
        // are never newer, so they can be replaced.
        if state.connections > 0 { state.rule?.reconnected() }
        state.connections = condition.connections
      }
      let actions =
        state.rule?.next(
          shared, state.fix.map { SharedLocation($0) }, minuteOfDay: minute, at: now) ?? []
      for action in actions {
        Self.perform(
          action, by: broker, on: route, validity: plan.validity, at: utc,
          isClockGood: status.clock.isSynchronised)
      }
      // Nothing is shared and nothing is left to delete, so no connection is needed.
      if plan.share == .none, actions.isEmpty, condition.isConnected, condition.isSettled {
        state.leaving.append((broker, now))
        state.broker = nil
      }
      state.failing = condition.failure == nil ? nil : state.failing ?? now
      let failure = condition.failure.flatMap { state.reason.tells($0.reason, at: now) ? $0 : nil }
      return (failure, condition.isConnected)
    }
    reading.look(isSharing: isSharing, at: now)
    if let failure {
      reporter.log(
        LogEvent(
          .warning, "nothing is shared", ["reason": failure.reason, "remedy": failure.remedy]))
    }
  }

  /// Returns the positions of the fleet's other gateways. Empty unless this gateway shares its own
  /// position.
  func others(at now: BootTime) -> [OtherGateway] {
    OtherGateway.merged(reading.others(at: now), database.others(at: now))
  }

  private static func letGo(
    of leaving: inout [(broker: BrokerConnection, end: BootTime)], at now: BootTime
  ) {
    // A connection is closed when the last reference to it is released.
    leaving.removeAll { $0.broker.state.isSettled || now >= $0.end }
  }

  /// Announces that the gateway is stopping and waits a moment for the broker.
  func end() async {
    reading.take(nil)
    database.take(nil)
    let brokers = state.withLock { state -> [BrokerConnection] in
      var brokers = state.leaving.map(\.broker)
      if let plan = state.plan, let route = state.route, let broker = state.broker,
        let last = state.last
      {
        for action in state.rule?.end(last) ?? [] {
          Self.perform(
            action, by: broker, on: route, validity: plan.validity, at: BootClock.systemTime(),
            isClockGood: BootClock.isSystemTimeSynchronised)
        }
        brokers.append(broker)
      }
      state.broker = nil
      state.route = nil
      return brokers
    }
    let end = BootClock.now().advanced(bySeconds: Self.endSeconds)
    for broker in brokers {
      while !broker.state.isSettled, broker.state.isConnected, BootClock.now() < end {
        try? await Pause.seconds(0.02)
      }
    }
  }

  /// Fills in the sharing part of the status.
  func describe(into status: inout GatewayStatus, at now: BootTime) {
    status.sharing = state.withLock { state in
      guard let plan = state.plan, let route = state.route,
        plan.share != .none || state.broker != nil
      else { return nil }
      let condition = state.broker?.state
      return GatewayStatus.Sharing(
        broker: route.broker.description, share: plan.share,
        isConnected: condition?.isConnected ?? false,
        failure: condition?.failure.map { failure in
          GatewayStatus.Failure(
            text: failure.reason, remedy: failure.remedy,
            age: max(0, state.failing.map { now.seconds(since: $0) } ?? 0))
        })
    }
  }

  // MARK: Messages

  private static func perform(
    _ action: SharingRule.Action, by broker: BrokerConnection, on route: SharingPlan.Route,
    validity: Double, at utc: UTCTime, isClockGood: Bool
  ) {
    let times = LiveTimes(sent: utc, validity: validity, isClockSynchronised: isClockGood)
    func publish(_ payload: [UInt8], _ kind: LiveTopic.Kind) {
      broker.publish(payload, on: route.topic(kind))
    }
    switch action {
    case .status(let status): publish(status.payload(times), .status)
    case .location(let location): publish(location.payload(times), .location)
    case .delete(let kind): delete(kind, by: broker, route)
    }
  }

  private static func delete(
    _ kind: LiveTopic.Kind, by broker: BrokerConnection, _ route: SharingPlan.Route
  ) {
    broker.publish([], on: route.topic(kind))
  }
}

extension SharingPlan.Route {
  fileprivate func topic(_ kind: LiveTopic.Kind) -> String {
    LiveTopic(fleet: fleet, gateway: gateway, kind).text
  }
}

extension SharedStatus {
  /// Extracts the part of a status that is shared with a fleet.
  fileprivate init(_ status: GatewayStatus, at utc: UTCTime) {
    let recording = status.recording
    self.init(
      state: recording.phase.rawValue, works: status.works, version: status.version,
      boards: status.boards.map {
        Board(name: $0.name, state: $0.phase.rawValue, battery: $0.battery)
      },
      session: recording.session.map { id in
        Session(
          id: id, since: UTCTime(nanoseconds: utc.nanoseconds &- Int64(recording.elapsed * 1e9)))
      },
      waitingChunks: status.uploads.map(\.waiting).max() ?? 0)
  }
}

extension SharedLocation {
  /// Extracts the part of a fix that is shared with a fleet, not yet rounded.
  fileprivate init(_ fix: Fix) {
    self.init(
      time: fix.utc, latitude: fix.latitude, longitude: fix.longitude,
      accuracy: fix.error?.horizontal, speed: fix.speed, course: fix.track,
      altitude: fix.altitudeMSL)
  }
}
