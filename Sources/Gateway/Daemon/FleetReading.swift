internal import LinuxSystem
internal import Sharing
internal import Values

/// Reads the positions of a fleet's other gateways from the broker while a page requests them.
///
/// The connection is separate, so that sharing continues even if the broker does not permit this
/// user to read. While no page is open, no messages are received, which saves mobile data in a
/// large fleet.
final class FleetReading: Sendable {
  private struct State: Sendable {
    var route: SharingPlan.Route?
    var broker: BrokerConnection?
    var places: Guarded<FleetPlaces>?
    /// The time of the last request.
    var asked = BootTime(nanoseconds: 0)
    var failing: BootTime?
    var isFailureTold = false
  }

  /// Seconds after the last request until the connection is closed.
  private static let restSeconds = 60.0
  /// Seconds without a connection before the failure is logged.
  private static let failingSeconds = 10.0

  private let state = Guarded(State())
  private let reporter: DaemonReporter

  init(_ reporter: DaemonReporter) {
    self.reporter = reporter
  }

  /// Sets the fleet and broker to read from, or `nil` to stop reading.
  func take(_ route: SharingPlan.Route?) {
    state.withLock { state in
      if route != state.route { state = State(route: route) }
    }
  }

  /// Returns the other gateways. The first call only connects to the broker, so it returns no
  /// gateways.
  func others(at now: BootTime) -> [OtherGateway] {
    state.withLock { state in
      state.asked = now
      if state.broker == nil, let route = state.route {
        let places = Guarded(FleetPlaces(fleet: route.fleet, except: route.gateway))
        state.places = places
        // If no thread can be started, the next request tries again.
        state.broker = try? BrokerConnection(
          route.settings, subscribingTo: [LiveTopic.locations(ofFleet: route.fleet)]
        ) { event in
          guard case .message(let topic, let payload, let isRetained) = event else { return }
          let arrival = LiveMessage.Arrival(
            boot: BootClock.now(), utc: BootClock.systemTime(),
            isClockSynchronised: BootClock.isSystemTimeSynchronised, isDirect: !isRetained)
          places.withLock { $0.take(topic, payload, at: arrival) }
        }
      }
      return state.places?.withLock { $0.others(at: now) } ?? []
    }
  }

  /// Closes an unused connection. Logs once if the broker accepts this gateway's messages, but does
  /// not let it read.
  func look(isSharing: Bool, at now: BootTime) {
    let failure = state.withLock { state -> BrokerFailure? in
      if now.seconds(since: state.asked) >= Self.restSeconds {
        state.broker = nil
        state.places = nil
      }
      guard isSharing, let failure = state.broker?.state.failure else {
        state.failing = nil
        return nil
      }
      let since = state.failing ?? now
      state.failing = since
      guard !state.isFailureTold, now.seconds(since: since) >= Self.failingSeconds else {
        return nil
      }
      state.isFailureTold = true
      return failure
    }
    if let failure {
      reporter.log(
        LogEvent(
          .warning, "cannot read the positions of the other gateways",
          ["reason": failure.reason, "remedy": failure.remedy]))
    }
  }
}
