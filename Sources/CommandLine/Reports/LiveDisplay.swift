public import Gateway

/// Shows a recording while it runs: repainted in place on a terminal, else a line now and then.
///
/// No thread waits for either.
public struct LiveDisplay: Sendable {
  /// The usual seconds of recording between two lines where nothing can be painted.
  public static let plainInterval = 5.0

  private let console: Console
  private var view: LiveView
  private let interval: Double
  private var lastLine: Double?

  /// A display on the console's standard output, with a line every so many seconds of recording
  /// where nothing can be painted.
  public init(
    of subject: LiveView.Subject = .recording, on console: Console,
    linesEvery interval: Double = plainInterval
  ) {
    self.console = console
    self.interval = interval
    view = LiveView(of: subject)
  }

  /// Shows the status; may be called as often as a status is made.
  public mutating func show(_ status: LiveStatus) {
    guard !console.isTerminal else {
      return console.paint(view.render(status, width: console.width))
    }
    // Looked at each time: from one to the next it shows who fell silent.
    let line = view.plainLine(status)
    if lastLine.map({ status.elapsed - $0 >= interval }) ?? true {
      lastLine = status.elapsed
      console.say(line)
    }
  }
}
