internal import MetaWearProtocol

/// Connects the link-pace tuning to the session's owner.
extension BoardSession {
  /// Returns the tuning's actions as session actions.
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
