@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values

/// Findings printed as text and as JSON.
@Suite(.computation) struct DiagnosisTests {
  private static let mixed = Diagnosis([
    .ok(.sync, "a sync takes 3 ms"),
    .warning(.gpsd, "gpsd is asleep", remedy: "wake it"),
    .fault(.store, "cannot write to /s: read-only", remedy: "mount it\nor name another place"),
    .ok(.clock, "the system clock is synchronised"),
    .fault(.bluetoothd, "bluetoothd is not running", remedy: "start it"),
  ])

  @Test func `faults are listed first, each with its remedy below it`() {
    #expect(
      Self.mixed.lines().map(\.text).joined(separator: "\n") == """
        The doctor found 2 faults and 1 warning.

        fault    bluetoothd   bluetoothd is not running
                                start it
        fault    store        cannot write to /s: read-only
                                mount it
                                or name another place
        warning  gpsd         gpsd is asleep
                                wake it
        ok       clock        the system clock is synchronised
        ok       sync         a sync takes 3 ms
        """)
    #expect(Self.mixed.status == .failed)
  }

  @Test func `the summary counts faults and warnings, and says if none were found`() {
    let well = Diagnosis([.ok(.clock, "the system clock is synchronised")])
    #expect(well.summary == "All is well.")
    #expect(well.status == .ok)
    let warned = Diagnosis([
      .warning(.rtc, "none", remedy: "add one"), .warning(.gpsd, "asleep", remedy: "wake it"),
    ])
    #expect(warned.summary == "The doctor found 2 warnings.")
    #expect(warned.status == .ok)
    #expect(Diagnosis([.fault(.rtc, "none", remedy: "")]).summary == "The doctor found 1 fault.")
  }

  @Test func `a line that is too wide continues on the next line, aligned with its text`() {
    let diagnosis = Diagnosis([
      .warning(.wifi, "wlan0 is on the chip of hci0", remedy: "use a USB adapter instead of it")
    ])
    #expect(
      diagnosis.lines(width: 46).map(\.text).dropFirst(2) == [
        "warning  wifi         wlan0 is on the chip",
        "                      of hci0",
        "                        use a USB adapter",
        "                        instead of it",
      ])
  }

  @Test func `JSON output contains the summary and the findings in one object`() {
    #expect(
      Diagnosis([.ok(.card, "mmcblk0 \"x\""), .fault(.rfkill, "blocked", remedy: "unblock")]).json
        .text
        == #"{"summary":"The doctor found 1 fault.","findings":["#
        + #"{"check":"rfkill","level":"fault","text":"blocked","remedy":"unblock","#
        + #""phone":{"text":"blocked","remedy":"unblock"}},"#
        + #"{"check":"card","level":"ok","text":"mmcblk0 \"x\"","remedy":"","#
        + #""phone":{"text":"mmcblk0 \"x\"","remedy":""}}]}"#)
  }

  @Test func `on a terminal, faults are coloured but the text is the same`() throws {
    let sink = MemorySink(terminal: TerminalSize(columns: 80, rows: 24), hasColour: true)
    let console = Console(output: sink, errors: MemorySink())
    try console.print(Self.mixed.lines(width: 80))
    console.close()
    let lines = sink.text.split(separator: "\n").map(String.init)
    #expect(lines[1] == "\u{1b}[1;31mfault    bluetoothd   bluetoothd is not running\u{1b}[0m")
    #expect(lines.last == "ok       sync         a sync takes 3 ms")
  }
}
