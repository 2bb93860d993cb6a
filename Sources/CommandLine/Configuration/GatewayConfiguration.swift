internal import Gateway
internal import LinuxSystem

/// What `footbridge run` does, as its configuration file says it. A fresh one has all defaults.
///
/// It is the plan of the daemon, whose fields read as its own, and how it can be watched.
@dynamicMemberLookup
struct GatewayConfiguration: Configurable {
  /// What the daemon does.
  var plan = DaemonPlan()
  /// Path of the socket for the status; `nil` for none.
  var statusSocket: String? = "/run/footbridge/status.sock"
  /// Where Prometheus may read the status; `nil` for nowhere.
  var prometheus: ListenAddress?
  /// Where it serves its page; `nil` for nowhere.
  var pageAddress: ListenAddress?
  /// How it serves its page.
  var page = PageSettings()

  subscript<Value>(dynamicMember field: WritableKeyPath<DaemonPlan, Value>) -> Value {
    get { plan[keyPath: field] }
    set { plan[keyPath: field] = newValue }
  }

  /// The parts that a change from another configuration touches, by the declarations of the keys.
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

/// The part of the gateway that a key touches, which decides what becomes of a new value when the
/// configuration is read again.
enum ConfigurationPart: Hashable, Sendable, CaseIterable {
  /// What is recorded: the recording under way is closed, and another one begins.
  case recording
  /// How it is written: the next recording has it.
  case nextRecording
  /// When it is recorded, how long, and how it is helped: the recording under way goes on with it.
  case course
  /// What is sent, from now on.
  case uploads
  /// What is pulled, from now on.
  case definitions
  /// What the gateway shares with its fleet, from now on.
  case sharing
  /// Where the status can be read: the next start of the service has it.
  case status
  /// The page: the next start of the service has it.
  case page
}

extension ConfiguredBoard: Configurable {}
