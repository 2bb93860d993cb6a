internal import LinuxSystem
internal import Positioning
internal import Recording
internal import RingBuffer
internal import Values

/// Manages a recording's position source: its thread, its log entries, and its events in the
/// session.
final class RecordedReceiver: Sendable {
  private let source: PositionSource?
  private let memory: SpeedMemory?
  private let positions: HandOver<RingProducer<PositionReport>>
  private let log: @Sendable (LogEvent) -> Void
  private let thread = Guarded<ReceiverThread?>(nil)

  /// Creates the receiver, which pushes fixes into the ring. The plan may have no source.
  init(
    of plan: RecordingPlan, into positions: consuming RingProducer<PositionReport>,
    log: @escaping @Sendable (LogEvent) -> Void
  ) {
    source = plan.settings.receiver
    memory = plan.speedMemory.map { SpeedMemory(path: $0) }
    self.positions = HandOver(positions)
    self.log = log
  }

  /// Starts listening, unless the plan has no source.
  func start(for recorder: RecorderThread) throws(SystemError) {
    guard let source, let positions = positions.take() else { return }
    let log = self.log
    let started = try ReceiverThread(
      source, memory: memory, reports: positions, recorder: recorder.bell
    ) { event in
      guard case .change(let change) = event else { return }
      recorder.note(
        SessionEvent(.receiver, at: change.time, text: change.state.rawValue))
      Self.tell(change, of: source) { log(LogEvent($0, $1, $2)) }
    }
    thread.withLock { $0 = started }
  }

  /// The source's state and serial line, or `nil` if there is no source or listening has not
  /// started.
  var status: ReceiverStatus? { thread.withLock { $0 }?.status }

  /// The source's state, or `nil` without a source.
  var state: ReceiverState? {
    guard source != nil else { return nil }
    return thread.withLock { $0 }?.status.state ?? .searching
  }

  /// The reason why a receiver's port cannot be used even though it exists.
  var problem: LiveStatus.Obstacle? {
    guard let status, status.state == .unplugged, let problem = status.problem, !problem.isAbsence
    else { return nil }
    return LiveStatus.Obstacle(text: problem.reason, remedy: problem.remedy)
  }

  /// Publishes the unfinished epoch and ends the thread.
  func stop() {
    thread.withLock { $0 }?.stop()
  }

  private static func tell(
    _ change: ReceiverChange, of source: PositionSource,
    _ remark: (LogEvent.Severity, String, KeyValuePairs<String, String>) -> Void
  ) {
    let name = source.description
    let state = change.state.rawValue
    if let problem = change.problem {
      remark(
        .warning, "no GPS receiver",
        [
          "device": name, "state": state, "reason": problem.reason, "remedy": problem.remedy,
        ])
    } else if change.state.isLoss {
      remark(
        .warning, "GPS receiver lost",
        ["device": name, "state": state, "remedy": change.state.remedy])
    } else {
      remark(
        .notice, "GPS receiver",
        [
          "device": change.device ?? name, "state": state,
          "baud": change.speed.map { "\($0.rawValue)" } ?? "none",
        ])
    }
  }
}
