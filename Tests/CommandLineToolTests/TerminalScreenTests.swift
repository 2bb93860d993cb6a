import CommandLineTool
import Terminal
import TestSupport
import Testing

@Suite(.computation) struct TerminalScreenTests {
  let size = TerminalSize(columns: 20, rows: 5)

  private func lines(_ texts: [String]) -> [ViewLine] { texts.map { ViewLine($0) } }

  @Test func `each view replaces the previous one`() {
    var screen = TerminalScreen()
    var terminal = TinyTerminal()
    terminal.feed("$ footbridge demo\n")
    terminal.feed(screen.paint(lines(["recording  0:01", "a longer line", "third"]), on: size))
    #expect(!terminal.cursorIsVisible)
    terminal.feed(screen.paint(lines(["recording  0:02", "short"]), on: size))
    #expect(terminal.lines == ["$ footbridge demo", "recording  0:02", "short"])
    terminal.feed(screen.paint(lines(["1", "2", "3", "4"]), on: size))
    #expect(terminal.lines == ["$ footbridge demo", "1", "2", "3", "4"])
  }

  @Test func `the cursor is hidden while views are painted and shown afterwards`() {
    var screen = TerminalScreen()
    var terminal = TinyTerminal()
    terminal.feed(screen.paint(lines(["view"]), on: size))
    #expect(!terminal.cursorIsVisible)
    terminal.feed(screen.leave() + "done\n")
    #expect(terminal.cursorIsVisible)
    #expect(terminal.lines == ["view", "done"])
    #expect(screen.leave() == "")
  }

  @Test func `a styled line resets its style at the end`() {
    var screen = TerminalScreen()
    let line = ViewLine("lost contact 13 s", .alarming)
    #expect(
      screen.paint([line], on: size, inColour: true)
        .contains("\u{1b}[1;31mlost contact 13 s\u{1b}[0m\u{1b}[K\n"))
    let plain = screen.paint([line], on: size)
    #expect(plain.contains("lost contact 13 s\u{1b}[K\n") && !plain.contains("\u{1b}[1;31m"))
    let wide = ViewLine(String(repeating: "x", count: 30), .faded)
    #expect(
      screen.paint([wide], on: size, inColour: true)
        .contains("\u{1b}[2m" + String(repeating: "x", count: 19) + "…\u{1b}[0m\n"))
  }

  @Test func `the bell rings once for each line that becomes an alarm`() {
    var screen = TerminalScreen()
    func rings(_ alarming: Int) -> Bool {
      let lines = (0..<3).map { ViewLine("board \($0)", $0 < alarming ? .alarming : .plain) }
      return screen.paint(lines, on: size).contains("\u{7}")
    }
    #expect([0, 1, 1, 2, 1, 1, 0, 1].map(rings) == [0, 1, 0, 1, 0, 0, 0, 1].map { $0 == 1 })
  }

  @Test func `a line as wide as the terminal is shown with its last character`() {
    var screen = TerminalScreen()
    let full = String(repeating: "x", count: 20)
    #expect(screen.paint(lines([full]), on: size).contains(full + "\n"))
  }

  @Test func `text too wide for the terminal is truncated, and dropped lines are counted`() {
    var screen = TerminalScreen()
    var terminal = TinyTerminal()
    let wide = (1...7).map { "line \($0) of a view that is too wide" }
    terminal.feed(screen.paint(lines(wide), on: size))
    #expect(
      terminal.lines == [
        "line 1 of a view th…", "line 2 of a view th…", "line 3 of a view th…", "… 4 more lines",
      ])
    // The first line contains the most important values.
    terminal.feed(screen.paint(lines(wide), on: TerminalSize(columns: 20, rows: 2)))
    #expect(terminal.lines == ["line 1 of a view th…"])
  }
}
