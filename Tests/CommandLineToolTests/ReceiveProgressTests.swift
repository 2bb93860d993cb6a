@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import UploadServer
import Values

/// The log that an upload server writes about uploads.
@Suite(.computation) struct ReceiveProgressTests {
  @Test func `damaged chunks that were replaced are logged once, on one line`() {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    var progress = ReceiveProgress(console)
    var counts = IntakeCounts()
    counts.mended = 2
    counts.lastMended = UniqueID(high: 1, low: 2)
    progress.show(counts)
    counts.held = 1
    progress.show(counts)
    console.close()
    let lines = errors.text.split(separator: "\n").filter { $0.contains("event=mended ") }
    #expect(lines.count == 1, "\(errors.text)")
    #expect(
      lines.first?.contains("chunk=00000000-0000-0001-0000-000000000002 further=1") == true)
    #expect(ReceiveText.line(counts).contains(", 2 damaged chunks replaced, 1 repeated"))
  }
}
