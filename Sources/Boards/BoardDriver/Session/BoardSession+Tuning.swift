internal import MetaWearProtocol

/// The pace of the link, which the session passes on between its tuning and its owner.
extension BoardSession {
  /// Tells the tuning what happened, and says in the session's words what it wants done.
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
