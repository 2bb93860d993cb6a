internal import Gateway
internal import LinuxSystem

/// The settings of `footbridge run`. A new one has all defaults.
///
/// Contains the plan of the daemon, whose members can be read directly, and the ways to watch it.
@dynamicMemberLookup
struct GatewayConfiguration: Configurable {
  var plan = DaemonPlan()
  /// Path of the socket for the status; `nil` for none.
  var statusSocket: String? = "/run/footbridge/status.sock"
  /// The address at which Prometheus may read the status; `nil` for none.
  var prometheus: ListenAddress?
  /// The address of its page; `nil` for none.
  var pageAddress: ListenAddress?
  var page = PageSettings()

  subscript<Value>(dynamicMember field: WritableKeyPath<DaemonPlan, Value>) -> Value {
    get { plan[keyPath: field] }
    set { plan[keyPath: field] = newValue }
  }

  /// The parts that a change from `former` affects, as the keys declare them.
  func parts(changedSince former: GatewayConfiguration) -> Set<ConfigurationPart> {
    var parts = Set(Self.keys.filter { $0.differs(self, former) }.map(\.part))
    // A recording is set up for walking or for whole sessions.
    if (plan.rule.time == .walking) != (former.rule.time == .walking) { parts.insert(.recording) }
    if plan.boards.map(\.name) != former.boards.map(\.name) { parts.insert(.recording) }
    for (board, other) in zip(plan.boards, former.boards) {
      parts.formUnion(ConfiguredBoard.keys.filter { $0.differs(board, other) }.map(\.part))
    }
    return parts
  }
}

/// The part of the gateway that a key affects, which decides how a new value takes effect when the
/// configuration is read again.
enum ConfigurationPart: Hashable, Sendable, CaseIterable {
  /// The recording itself: the current one is closed, and another begins.
  case recording
  /// The way of writing: from the next recording.
  case nextRecording
  /// Times, length and recovery: the current recording goes on with the new value.
  case course
  /// Uploads, at once.
  case uploads
  /// Definitions, at once.
  case definitions
  /// Sharing with the fleet, at once.
  case sharing
  /// The ways to read the status: at the next start of the service.
  case status
  /// The page: at the next start of the service.
  case page
}

extension ConfiguredBoard: Configurable {}
