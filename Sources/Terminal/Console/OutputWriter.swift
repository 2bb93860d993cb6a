internal import Values

/// Turns pieces of output into text and control sequences for two streams. Used by one thread.
struct OutputWriter: Sendable {
  private let output: any TextSink
  private let errors: any TextSink
  private var screen = TerminalScreen()

  init(output: any TextSink, errors: any TextSink) {
    self.output = output
    self.errors = errors
  }

  var hidesCursor: Bool { screen.hidesCursor }

  /// Returns the bytes that a piece adds to each stream, in the order in which they must be
  /// written.
  mutating func texts(of piece: OutputQueue.Piece) -> [(stream: OutputQueue.Stream, bytes: [UInt8])]
  {
    var texts: [(stream: OutputQueue.Stream, bytes: [UInt8])] = []
    func add(_ text: String, to stream: OutputQueue.Stream) {
      if !text.isEmpty { texts.append((stream, Array(text.utf8))) }
    }
    switch piece {
    case .view(let lines):
      guard let size = output.terminal else { break }
      add(screen.paint(lines, on: size, inColour: output.hasColour), to: .output)
    case .stand:
      add(clearProgress(), to: .errors)
      add(screen.leave(), to: .output)
    case .progress(let text):
      guard let size = errors.terminal else { break }
      screen.hasProgress = true
      add(
        "\r" + TerminalText.cut(text, to: size.columns - 1) + TerminalScreen.clearToEndOfLine,
        to: .errors)
    case .line(let text, to: .output):
      add(clearProgress(), to: .errors)
      add(screen.leave() + text + "\n", to: .output)
    case .line(let text, to: .errors):
      let fitted = errors.terminal.map { LogLine.fitted(text, within: $0.columns) } ?? text
      return self.texts(of: .complaint(fitted))
    case .complaint(let text):
      if errors.terminal != nil { add(screen.erase(), to: .output) }
      add(clearProgress(), to: .errors)
      add(text + "\n", to: .errors)
    case .result(let bytes, _, let isText):
      guard isText else { return [(.output, bytes)] }
      add(clearProgress(), to: .errors)
      add(screen.leave(), to: .output)
      texts.append((.output, bytes))
    case .omission(let count, of: .errors):
      return self.texts(of: .line(LogLine.text(Self.omission(count)), to: .errors))
    case .omission(let count, of: .output):
      return self.texts(of: .line("(\(count) lines were not read in time)", to: .output))
    }
    return texts
  }

  func sink(_ stream: OutputQueue.Stream) -> any TextSink {
    switch stream {
    case .output: output
    case .errors: errors
    }
  }

  private static func omission(_ count: Int) -> LogEvent {
    LogEvent(.warning, "lines dropped", ["lines": "\(count)", "reason": "not read in time"])
  }

  /// Returns the control sequence that removes the progress line; empty if there is none.
  private mutating func clearProgress() -> String {
    guard screen.hasProgress else { return "" }
    screen.hasProgress = false
    return "\r" + TerminalScreen.clearToEndOfLine
  }
}
