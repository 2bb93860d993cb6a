internal import MetaWearProtocol

/// The link's pace: passes events and actions between the session's tuning and its owner.
extension BoardSession {
  /// Passes an event to the tuning, and translates its actions into the session's.
  mutating func tune(_ event: ConnectionTuning.Event) -> [Action] {
    tuning.handle(event).map { action in
      switch action {
      case .ask(let parameters): .write(Settings.prefer(parameters), acknowledged: false)
      case .changeLink(let method, let parameters): .changeLink(method, parameters)
      case .report(let report): .tuned(report)
      case .remark(let text): .remark(text)
      }
    }
  }
}
