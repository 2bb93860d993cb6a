import CommandLineTool
import TestSupport
import Testing

@Suite(.computation) struct ConsoleTests {
  let size = TerminalSize(columns: 40, rows: 10)

  @Test func `results go to standard output and remarks to standard error`() throws {
    let (output, errors) = (MemorySink(), MemorySink())
    let console = Console(output: output, errors: errors)
    try console.print("result")
    console.notice("link-lost", ["board": "C8:4B:AA:97:50:05", "samples": "12"])
    console.warning("clock-unset")
    #expect(output.text == "result\n")
    #expect(
      errors.text == """
        level=notice event=link-lost board=C8:4B:AA:97:50:05 samples=12
        level=warning event=clock-unset

        """)
  }

  @Test(arguments: [
    (Console.Level.quiet, ["warning"]), (.normal, ["notice", "warning"]),
    (.verbose, ["detail", "notice", "warning"]),
  ])
  func `the level decides what is reported`(_ level: Console.Level, _ reported: [String]) {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors, level: level)
    console.detail("event")
    console.notice("event")
    console.warning("event")
    #expect(errors.text == reported.map { "level=\($0) event=event\n" }.joined())
  }

  @Test func `values that could be misread stand in quotes, and none breaks its line`() {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    console.notice(
      "seen",
      [
        "blank": "left wrist", "empty": "", "quote": "a\"b", "equals": "a=b", "slash": #"a\b"#,
        "break": "a\nb", "escape": "\u{1b}[2J", "plain": "ä/b:c",
      ])
    #expect(
      errors.text == #"""
        level=notice event=seen blank="left wrist" empty="" quote="a\"b" equals="a=b" \#
        slash="a\\b" break="a\nb" escape="\u{1b}[2J" plain=ä/b:c

        """#)
  }

  @Test func `a remark moves the view out of the way instead of tearing it`() throws {
    let both = MemorySink(terminal: size)
    let console = Console(output: both, errors: both)
    try console.paint(["first", "view"])
    console.notice("link-lost")
    try console.paint(["second", "view"])
    var terminal = TinyTerminal()
    terminal.feed(both.text)
    #expect(terminal.lines == ["level=notice event=link-lost", "second", "view"])
  }

  @Test func `a remark that goes to a file leaves the view alone`() throws {
    let (output, errors) = (MemorySink(terminal: size), MemorySink())
    let console = Console(output: output, errors: errors)
    try console.paint(["view"])
    let before = output.text
    console.notice("link-lost")
    #expect(output.text == before)
  }

  @Test func `a result stands below the last view`() throws {
    let output = MemorySink(terminal: size)
    let console = Console(output: output, errors: MemorySink())
    try console.paint(["view"])
    try console.print("1,234 samples")
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    #expect(terminal.lines == ["view", "1,234 samples"])
    #expect(terminal.cursorIsVisible)
  }

  @Test func `nothing is painted where there is no terminal`() throws {
    let output = MemorySink()
    let console = Console(output: output, errors: MemorySink())
    try console.paint(["view"])
    console.finishPainting()
    #expect(output.text == "")
    #expect(!console.isTerminal)
    #expect(console.width == 80)
  }

  @Test func `a console at another level paints on the same screen`() throws {
    let output = MemorySink(terminal: size)
    let console = Console(output: output, errors: MemorySink())
    try console.reporting(.quiet).paint(["first"])
    try console.reporting(.verbose).paint(["second"])
    console.finishPainting()
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    #expect(terminal.lines == ["second"])
    #expect(terminal.cursorIsVisible)
  }
}
