import TestSupport
import Testing
import Values

@Suite(.computation) struct PlainTextTests {
  @Test func `control characters in text are replaced, except line breaks where permitted`() {
    #expect(PlainText.cleaned("1.7.2") == "1.7.2")
    #expect(PlainText.cleaned("\u{202e}2.7.1\u{1b}[2J") == "\u{fffd}2.7.1\u{fffd}[2J")
    #expect(PlainText.cleaned("one\ntwo") == "one\u{fffd}two")
    #expect(PlainText.cleaned("one\n\ttwo\r", mayHaveLines: true) == "one\n\ttwo\u{fffd}")
    let cleaned = PlainText.cleaned("a\u{2028}b\u{85}", mayHaveLines: true)
    #expect(PlainText.fault(in: cleaned) == nil)
  }
}
