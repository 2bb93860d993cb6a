internal import MetaWearProtocol

extension ModuleInfoRequest: Explained {
  func statement(in context: Context) -> Statement {
    Statement("asks for the module's chip and revision")
  }
}

extension SignalRequest: Explained {
  func statement(in context: Context) -> Statement {
    switch kind {
    case .subscribe: Statement("subscribes to \(signal.words)")
    case .unsubscribe: Statement("ends the subscription to \(signal.words)")
    case .read: Statement("asks for \(signal.words)")
    case .readSilently:
      Statement("reads \(signal.words) for consumers on the board; current firmware does not reply")
    }
  }
}
