import CommandLineTool
import LinuxSystem
import Terminal
import TestSupport

/// A terminal or a pipe that blocks writers until `read()` is called.
final class StuckSink: TextSink {
  private struct State: Sendable {
    var isRead = false
    var isWaitedFor = false
    var text = ""
    var atOnce = ""
  }

  private let state = Monitor(State())
  let terminal: TerminalSize?
  let hasColour = false

  init(terminal: TerminalSize? = nil) {
    self.terminal = terminal
  }

  var text: String { state.withLock { $0.text } }

  /// The text written so far without blocking.
  var atOnce: String { state.withLock { $0.atOnce } }

  /// Whether a writer is blocked.
  var isWaitedFor: Bool { state.withLock { $0.isWaitedFor } }

  /// Reads everything written so far. Text written later no longer blocks the writer.
  func read() { state.change { $0.isRead = true } }

  var place: SinkIdentity {
    SinkIdentity(device: 0, file: UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue)))
  }

  func write(_ bytes: Span<UInt8>) throws(OutputError) {
    let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    state.change { $0.isWaitedFor = true }
    _ = state.wait { state -> Bool? in state.isRead ? true : nil }
    state.change { $0.text += text }
  }

  func writeAtOnce(_ text: String) {
    state.change { $0.atOnce += text }
  }
}
