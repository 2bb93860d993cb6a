public import Gateway
public import Terminal

/// Shows a recording while it runs: as a repainted view on a terminal, or else as a line printed
/// from time to time.
///
/// Showing a status does not block the calling thread.
public struct LiveDisplay: Sendable {
  /// The default interval in seconds between two lines when the output is not a terminal.
  public static let plainInterval = 5.0

  private let console: Console
  private var view: LiveView
  private let interval: Double
  private var lastLine: Double?
  private var isPaused = false
  /// The time in seconds by which the newest status may lag behind the recording.
  private static let statusAge = 0.2

  /// Seconds of recording at the time of the last status.
  private var elapsed = 0.0

  /// Creates a display on standard output. If standard output is not a terminal, a line is printed
  /// for every `interval` seconds of recording.
  public init(
    of subject: LiveView.Subject = .recording, on console: Console,
    linesEvery interval: Double = plainInterval
  ) {
    self.console = console
    self.interval = interval
    view = LiveView(of: subject)
  }

  /// Shows a status. May be called for every new status. On a terminal, `footer` is shown below the
  /// view, even if the terminal has too few rows for the whole view.
  public mutating func show(_ status: LiveStatus, footer: [ViewLine] = []) {
    guard !console.isTerminal else {
      return console.paint(view.render(status, width: console.width), footer: footer)
    }
    // The line is rendered for every status, even if it is not printed. The view detects a silent
    // stream by comparing two successive statuses.
    let line = view.plainLine(status)
    elapsed = status.elapsed
    let isTurn = isPaused != (status.pause != nil)
    isPaused = status.pause != nil
    if isTurn || lastLine.map({ status.elapsed - $0 >= interval }) ?? true {
      lastLine = status.elapsed
      console.say(line)
    }
  }

  /// Seconds until the next line is due if the output is not a terminal. Before the first sample,
  /// the value is a guess, because the recording time begins with that sample.
  var pause: Double {
    guard elapsed > 0, let lastLine else { return interval / 3 }
    return max(0, lastLine + interval - elapsed) + Self.statusAge
  }
}
