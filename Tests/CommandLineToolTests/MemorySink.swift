import CommandLineTool
import LinuxSystem
import Terminal

/// A stream that stores all text in memory, and can act as a terminal or a broken pipe.
final class MemorySink: TextSink {
  private let content = Guarded<[UInt8]>([])
  private let outcome: OutputError?
  let terminal: TerminalSize?
  let hasColour: Bool

  init(
    terminal: TerminalSize? = nil, hasColour: Bool = false, failing outcome: OutputError? = nil
  ) {
    self.terminal = terminal
    self.hasColour = hasColour
    self.outcome = outcome
  }

  var text: String { String(decoding: content.withLock { $0 }, as: UTF8.self) }

  var place: SinkIdentity {
    SinkIdentity(device: 0, file: UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue)))
  }

  func write(_ bytes: Span<UInt8>) throws(OutputError) {
    if let outcome { throw outcome }
    content.withLock { content in
      for index in bytes.indices { content.append(bytes[index]) }
    }
  }

  func writeAtOnce(_ text: String) {
    content.withLock { $0 += Array(text.utf8) }
  }
}
