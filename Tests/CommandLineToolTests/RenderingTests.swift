import CommandLineTool
import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct SparklineTests {
  @Test func `a table contains no control characters`() {
    var table = TextTable([.init("signal"), .init("note")])
    table.append(["a\nb\u{1b}[2J", "l\u{202e}r\u{85}\u{7f}"])
    #expect(table.lines == ["signal  note", "ab[2J   lr"])
  }

  @Test func `long text in the last column takes several lines, none of them too wide`() {
    var table = TextTable([.init("at", .right), .init("event"), .init("about")])
    table.append(["0:05", "edited", "note changed from 'a' to 'a longer remark on the walk'"])
    table.append(["0:07", "hazard", "Slippery"])
    #expect(
      table.lines(within: 40) == [
        "  at  event   about",
        "0:05  edited  note changed from 'a' to",
        "              'a longer remark on the",
        "              walk'",
        "0:07  hazard  Slippery",
      ])
    #expect(table.lines(within: .max) == table.lines)
  }

  @Test func `a column that does not fit beside the others moves to a second table`() {
    var table = TextTable([.init("session"), .init("wearer"), .init("note")])
    table.append(["2d8f268d", "a person with a long name", "a note of several words"])
    #expect(
      table.lines(within: 40) == [
        "session   wearer", "2d8f268d  a person with a long name", "",
        "session   note", "2d8f268d  a note of several words",
      ])
  }

  @Test func `a sparkline divides its range into eight steps`() {
    #expect(Sparkline.text((0..<8).map(Double.init), in: 0...8) == "▁▂▃▄▅▆▇█")
    #expect(Sparkline.text([0, 8], in: 0...8) == "▁█")
  }

  @Test
  func `a sparkline draws an out-of-range value at the nearer end, and a missing one as a space`() {
    #expect(Sparkline.text([-5, 99, .nan, .infinity, -.infinity], in: 0...8) == "▁█ █▁")
  }

  @Test func `a sparkline with a range of zero length is drawn as a line in the middle`() {
    #expect(Sparkline.text([1, 1, 1], in: 1...1) == "▄▄▄")
    #expect(Sparkline.text([1], in: -.infinity ... .infinity) == "▄")
    #expect(Sparkline.text([], in: 0...1) == "")
  }
}

@Suite(.computation) struct BarTests {
  @Test(arguments: [
    (0.0, "[          ]"), (0.55, "[█████▌    ]"), (1, "[██████████]"),
    (0.999, "[█████████▉]"), (0.0125, "[▏         ]"), (-3, "[          ]"),
    (7, "[██████████]"), (.nan, "[          ]"),
  ])
  func `a bar is filled in eighths of a column, and is full only at the maximum`(
    _ fraction: Double, _ text: String
  ) {
    #expect(Bar.text(fraction) == text)
  }

  @Test func `a bar has the requested width`() {
    for step in 0...100 {
      #expect(Bar.text(Double(step) / 100, width: 7).count == 9)
    }
  }
}

@Suite(.computation) struct NumberTextTests {
  @Test(arguments: [
    (0.0, 0, "0"), (1.5, 0, "2"), (47.3768866, 6, "47.376887"), (-0.0004, 3, "0.000"),
    (-0.0006, 3, "-0.001"), (0.05, 1, "0.1"), (-12.3456, 2, "-12.35"), (999.96, 1, "1000.0"),
    (.nan, 3, "–"), (.infinity, 1, "–"), (1e20, 2, "1e+20"),
  ])
  func `numbers are rounded to a fixed number of decimals, and zero has no minus sign`(
    _ value: Double, _ decimals: Int, _ text: String
  ) {
    #expect(NumberText.fixed(value, decimals: decimals) == text)
  }

  @Test(arguments: [
    (UInt64(0), "0"), (999, "999"), (1_000, "1,000"), (72_000, "72,000"),
    (1_234_567, "1,234,567"), (.max, "18,446,744,073,709,551,615"),
  ])
  func `the digits of counts are grouped in threes`(_ count: UInt64, _ text: String) {
    #expect(NumberText.grouped(count) == text)
  }
}

@Suite(.computation) struct DurationTextTests {
  @Test(arguments: [
    (0.0, "0:00"), (7.99, "0:07"), (750, "12:30"), (3_600, "1:00:00"), (3_723, "1:02:03"),
    (360_000, "100:00:00"), (-1, "0:00"), (.nan, "0:00"),
  ])
  func `a running time is formatted as on a stopwatch`(_ seconds: Double, _ text: String) {
    #expect(DurationText.clock(seconds) == text)
  }

  @Test(arguments: [
    (0.0, "0.0 s"), (0.45, "0.4 s"), (9.99, "9.9 s"), (10, "10 s"), (119, "119 s"),
    (120, "2 min"), (7_199, "119 min"), (7_200, "2 h"), (-1, "0.0 s"), (.infinity, "277777777 h"),
  ])
  func `an age is shown in seconds below 2 minutes, in minutes below 2 hours, and else in hours`(
    _ seconds: Double, _ text: String
  ) {
    #expect(DurationText.short(seconds) == text)
  }
}

@Suite(.computation) struct TextTableTests {
  @Test func `words are left-aligned and numbers right-aligned`() {
    var table = TextTable([.init("stream"), .init("samples", .right), .init("board")])
    table.append(["acceleration", "1,234", "left"])
    table.append(["rotation", "7", "right wrist"])
    #expect(
      table.lines == [
        "stream        samples  board",
        "acceleration    1,234  left",
        "rotation            7  right wrist",
      ])
  }

  @Test func `the columns stay aligned if a cell contains wide characters`() {
    var table = TextTable([.init(), .init("", .right, minimumWidth: 3)])
    table.append(["左手", "1"])
    table.append(["left", "22"])
    #expect(table.lines == ["左手    1", "left   22"])
  }

  @Test func `no line has trailing spaces`() {
    var table = TextTable([.init(minimumWidth: 8), .init(minimumWidth: 8)])
    table.append(["a", ""])
    #expect(table.lines == ["a"])
  }
}

@Suite(.computation) struct TerminalTextTests {
  @Test(arguments: [
    ("short", 5, "short"), ("too long", 5, "too …"), ("左手首の板", 5, "左手…"),
    ("左手首", 4, "左…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""),
  ])
  func `truncated text fits and ends with an ellipsis`(
    _ text: String, _ columns: Int, _ cut: String
  ) {
    #expect(TerminalText.cut(text, to: columns) == cut)
    #expect(TerminalText.width(of: cut) <= columns)
  }

  @Test func `control characters are removed from text`() {
    #expect(TerminalText.harmless("a\u{1b}[2Jb\r\n\u{202e}c\u{9b}d") == "a[2Jbcd")
    #expect(TerminalText.harmless("Größe 左") == "Größe 左")
  }
}
