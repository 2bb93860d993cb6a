internal import Gateway
internal import LinuxSystem
internal import Sharing
internal import Values

/// The broker of the configuration, and whether it lets this gateway in.
struct SharingTest: Equatable, Sendable {
  /// Seconds for the broker.
  private static let patience = 3.5

  /// The broker.
  var broker: String
  /// Why it does not; `nil` if it does.
  var failure: BrokerFailure?

  /// What follows.
  var finding: Finding {
    guard let failure else { return .ok(.sharing, "the fleet can be told by \(broker)") }
    // Nothing is lost: the fleet only does not know.
    return .warning(.sharing, failure.reason, remedy: failure.remedy)
  }

  /// Signs in at the broker of a configuration; `nil` if it names none, or has faults of which
  /// others tell.
  init?(_ configuration: GatewayConfiguration) async {
    guard let route = configuration.plan.route else { return nil }
    self.init(broker: route.broker.description, failure: nil)
    do throws(SystemError) {
      let connection = try BrokerConnection(route.settings)
      let end = BootClock.now().advanced(bySeconds: Self.patience)
      var attempts = 0
      while BootClock.now() < end, !Task.isCancelled {
        let state = connection.state
        if state.isConnected {
          failure = nil
          connection.stop(within: 0)
          return
        }
        if let reason = state.failure, reason != failure {
          failure = reason
          attempts += 1
          // Of a cluster, one is enough.
          if attempts == route.broker.hosts.count { break }
        }
        try? await Pause.seconds(0.02)
      }
      failure =
        failure
        ?? BrokerFailure(
          "\(broker) does not answer", remedy: "see the network and the broker")
    } catch {
      failure = BrokerFailure("\(error)", remedy: "end other programs")
    }
  }

  /// The result of a test.
  init(broker: String, failure: BrokerFailure?) {
    self.broker = broker
    self.failure = failure
  }
}
