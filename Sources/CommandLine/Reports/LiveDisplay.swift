public import Gateway
public import Terminal

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
  private var isPaused = false
  /// The greatest age of a status, in seconds.
  private static let statusAge = 0.2

  /// Seconds of recording at the last status.
  private var elapsed = 0.0

  /// A display on the console's standard output. Where nothing can be painted, it prints a line at
  /// this interval, in seconds of recording.
  public init(
    of subject: LiveView.Subject = .recording, on console: Console,
    linesEvery interval: Double = plainInterval
  ) {
    self.console = console
    self.interval = interval
    view = LiveView(of: subject)
  }

  /// Shows the status; may be called as often as a status is made. On a terminal, `footer` stands
  /// below it, even if the terminal is too low for the whole view.
  public mutating func show(_ status: LiveStatus, footer: [ViewLine] = []) {
    guard !console.isTerminal else {
      return console.paint(view.render(status, width: console.width), footer: footer)
    }
    // Rendered each time: the difference from one status to the next shows which stream is silent.
    let line = view.plainLine(status)
    elapsed = status.elapsed
    let isTurn = isPaused != (status.pause != nil)
    isPaused = status.pause != nil
    if isTurn || lastLine.map({ status.elapsed - $0 >= interval }) ?? true {
      lastLine = status.elapsed
      console.say(line)
    }
  }

  /// Seconds until a line is due where nothing can be painted. Unknown before the first sample,
  /// with which the time of a recording begins.
  var pause: Double {
    guard elapsed > 0, let lastLine else { return interval / 3 }
    return max(0, lastLine + interval - elapsed) + Self.statusAge
  }
}
