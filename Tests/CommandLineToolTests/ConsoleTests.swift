import CommandLineTool
import Terminal
import TestSupport
import Testing
import Values

@Suite(.realTime) struct ConsoleTests {
  let size = TerminalSize(columns: 40, rows: 10)

  @Test func `results go to standard output and remarks to standard error`() throws {
    let (output, errors) = (MemorySink(), MemorySink())
    let console = Console(output: output, errors: errors)
    try console.print("result")
    console.notice("link-lost", ["board": "C8:4B:AA:97:50:05", "samples": "12"])
    console.warning("clock-unset")
    console.close()
    #expect(output.text == "result\n")
    #expect(
      errors.text == """
        level=notice event=link-lost board=C8:4B:AA:97:50:05 samples=12
        level=warning event=clock-unset

        """)
  }

  @Test func `a remark wider than the terminal continues on an indented line`() {
    func shown(on terminal: TerminalSize?) -> String {
      let errors = MemorySink(terminal: terminal)
      let console = Console(output: MemorySink(), errors: errors)
      console.notice(
        "store of the simulation", ["path": "/home/anna/walks of May.sqlite", "by": "env \"A B\""])
      console.close()
      return errors.text
    }
    #expect(
      shown(on: size) == """
        level=notice
          event="store of the simulation"
          path="/home/anna/walks of May.sqlite"
          by="env \\"A B\\""

        """)
    #expect(shown(on: nil).split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    (Console.Level.quiet, ["warning"]), (.normal, ["notice", "warning"]),
    (.verbose, ["detail", "notice", "warning"]),
  ])
  func `the log level determines which remarks are printed`(
    _ level: Console.Level, _ reported: [String]
  ) {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors, level: level)
    console.detail("event")
    console.notice("event")
    console.warning("event")
    console.close()
    #expect(errors.text == reported.map { "level=\($0) event=event\n" }.joined())
  }

  @Test func `in the log, ambiguous values are quoted, and no value contains a line break`() {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    console.notice(
      "seen",
      [
        "blank": "left wrist", "empty": "", "quote": "a\"b", "equals": "a=b", "slash": #"a\b"#,
        "break": "a\nb", "escape": "\u{1b}[2J", "plain": "ä/b:c",
      ])
    console.close()
    #expect(
      errors.text == #"""
        level=notice event=seen blank="left wrist" empty="" quote="a\"b" equals="a=b" \#
        slash="a\\b" break="a\nb" escape="\u{1b}[2J" plain=ä/b:c

        """#)
  }

  @Test
  func `in the log, a quote in a command is escaped only once, so that the command can be typed`() {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    let command = "footbridge destination add \(ShellText.quoted("it's")) --folder /srv"
    console.notice("seen", ["remedy": "add it with '\(command)'", "slashes": #"\\' \"#])
    console.close()
    #expect(
      errors.text == #"""
        level=notice event=seen \#
        remedy="add it with 'footbridge destination add 'it'\''s' --folder /srv'" \#
        slashes="\\\' \\"

        """#)
  }

  @Test func `a remark is printed above the live view and leaves the view intact`() {
    let both = MemorySink(terminal: size)
    let console = Console(output: both, errors: both)
    console.paint(["first", "view"])
    console.notice("link-lost")
    console.paint(["second", "view"])
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(both.text)
    #expect(terminal.lines == ["level=notice event=link-lost", "second", "view"])
  }

  @Test func `a remark written to a file leaves the view unchanged`() {
    let (output, errors) = (MemorySink(terminal: size), MemorySink())
    let console = Console(output: output, errors: errors)
    console.paint(["view"])
    console.notice("link-lost")
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    #expect(terminal.lines == ["view"])
    #expect(errors.text == "level=notice event=link-lost\n")
  }

  @Test func `a result is printed below the last view`() throws {
    let output = MemorySink(terminal: size)
    let console = Console(output: output, errors: MemorySink())
    console.paint(["view"])
    try console.print("1,234 samples")
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    #expect(terminal.lines == ["view", "1,234 samples"])
    #expect(terminal.cursorIsVisible)
  }

  @Test func `without a terminal, no view is painted`() {
    let output = MemorySink()
    let console = Console(output: output, errors: MemorySink())
    console.paint(["view"])
    console.finishPainting()
    console.close()
    #expect(output.text == "")
    #expect(!console.isTerminal)
    #expect(console.width == 80)
  }

  @Test func `a second console with a different log level paints on the same screen`() {
    let output = MemorySink(terminal: size)
    let console = Console(output: output, errors: MemorySink())
    console.reporting(.quiet).paint(["first"])
    console.reporting(.verbose).paint(["second"])
    console.finishPainting()
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    #expect(terminal.lines == ["second"])
    #expect(terminal.cursorIsVisible)
  }
}
