internal import Gateway
internal import LinuxSystem
internal import Sharing
internal import Values

/// The result of testing whether the configured broker accepts this gateway.
struct SharingTest: Equatable, Sendable {
  /// Timeout in seconds for the broker's response.
  private static let patience = 3.5

  var broker: String
  /// The reason why signing in to the broker failed; `nil` on success.
  var failure: BrokerFailure?

  var finding: Finding {
    guard let failure else { return .ok(.sharing, "\(broker) accepts this gateway") }
    // The finding is only a warning, because no samples are lost.
    return .warning(.sharing, failure.reason, remedy: failure.remedy)
  }

  /// Signs in to the configured broker. Returns `nil` if the configuration names none, or has
  /// faults that other checks report.
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
          // The test fails only after every broker in a cluster has failed, because one reachable
          // broker is enough.
          if attempts == route.broker.hosts.count { break }
        }
        try? await Pause.seconds(0.02)
      }
      failure =
        failure
        ?? BrokerFailure(
          "\(broker) does not respond", remedy: "check the network and the broker")
    } catch {
      failure = BrokerFailure("\(error)", remedy: "stop other programs, then try again")
    }
  }

  init(broker: String, failure: BrokerFailure?) {
    self.broker = broker
    self.failure = failure
  }
}
