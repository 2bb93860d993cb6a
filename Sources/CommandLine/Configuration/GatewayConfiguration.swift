internal import Gateway
internal import LinuxSystem

/// The settings of `footbridge run`. A new value contains all defaults.
///
/// It consists of the daemon's plan, with directly accessible members, and the addresses at which
/// the status and the page are served.
@dynamicMemberLookup
struct GatewayConfiguration: Configurable {
  var plan = DaemonPlan()
  /// The status socket's path; `nil` for none.
  var statusSocket: String? = "/run/footbridge/status.sock"
  /// The address at which Prometheus can read the status; `nil` for none.
  var prometheus: ListenAddress?
  /// The gateway page's address; `nil` for none.
  var pageAddress: ListenAddress?
  var page = PageSettings()

  subscript<Value>(dynamicMember field: WritableKeyPath<DaemonPlan, Value>) -> Value {
    get { plan[keyPath: field] }
    set { plan[keyPath: field] = newValue }
  }

  /// Returns the parts of the gateway that are affected by the changes since `former`. Each key
  /// declares the part that it affects.
  func parts(changedSince former: GatewayConfiguration) -> Set<ConfigurationPart> {
    var parts = Set(Self.keys.filter { $0.differs(self, former) }.map(\.part))
    // A recording is configured either for walking or for whole sessions, so switching from one to
    // the other restarts the recording.
    if (plan.rule.time == .walking) != (former.rule.time == .walking) { parts.insert(.recording) }
    if plan.boards.map(\.name) != former.boards.map(\.name) { parts.insert(.recording) }
    for (board, other) in zip(plan.boards, former.boards) {
      parts.formUnion(ConfiguredBoard.keys.filter { $0.differs(board, other) }.map(\.part))
    }
    return parts
  }
}

/// The part of the gateway that a key affects. It determines how a new value takes effect after a
/// reload of the configuration.
enum ConfigurationPart: Hashable, Sendable, CaseIterable {
  /// The recording itself. A change ends the current recording and starts a new one.
  case recording
  /// The way samples are written. A change takes effect with the next recording.
  case nextRecording
  /// The times and lengths of recordings, and the recovery of adapters. The current recording
  /// continues with the new value.
  case course
  /// Uploads. A change takes effect immediately.
  case uploads
  /// Definitions. A change takes effect immediately.
  case definitions
  /// Sharing with the fleet. A change takes effect immediately.
  case sharing
  /// Access to the status. A change takes effect when the service restarts.
  case status
  /// The page. A change takes effect when the service restarts.
  case page
}

extension ConfiguredBoard: Configurable {}
