public import Gateway

/// Shows a recording while it runs: repainted in place on a terminal, else a line now and then.
public struct LiveDisplay: Sendable {
  /// Seconds of recording between two lines where nothing can be painted.
  public static let plainInterval = 5.0

  private let console: Console
  private var view: LiveView
  private var lastLine: Double?

  /// A display on the console's standard output.
  public init(of subject: LiveView.Subject = .recording, on console: Console) {
    self.console = console
    view = LiveView(of: subject)
  }

  /// Shows the status; may be called as often as a status is made.
  public mutating func show(_ status: LiveStatus) throws(OutputError) {
    if console.isTerminal {
      try console.paint(view.render(status, width: console.width))
    } else if lastLine.map({ status.elapsed - $0 >= Self.plainInterval }) ?? true {
      lastLine = status.elapsed
      try console.print(LiveView.plainLine(status))
    }
  }
}
