import CommandLineTool
import LinuxSystem

/// A stream that keeps what is written, and can be a terminal or break.
final class MemorySink: TextSink {
  private let content = Guarded("")
  private let outcome: OutputError?
  let terminal: TerminalSize?

  init(terminal: TerminalSize? = nil, failing outcome: OutputError? = nil) {
    self.terminal = terminal
    self.outcome = outcome
  }

  var text: String { content.withLock { $0 } }

  func write(_ text: String) throws(OutputError) {
    if let outcome { throw outcome }
    content.withLock { $0 += text }
  }

  func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try write(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
  }
}
