import CommandLineTool
import Recording
import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct KeyEntryTests {
  /// A key entry and its decoder. Each typed text arrives in a separate read, as from a terminal.
  private struct Typist {
    var entry: KeyEntry
    var decoder = KeyDecoder()
    /// Seconds since boot. Each read advances the time by one second.
    var seconds: Int64 = 0

    init(_ offer: KeyEntry.Offer = .recording) { entry = KeyEntry(offer) }

    var now: BootTime { BootTime(nanoseconds: seconds * 1_000_000_000) }

    mutating func type(_ reads: String...) -> [KeyEntry.Action] {
      reads.flatMap { read in
        seconds += 1
        return entry.take(decoder.keys(of: Array(read.utf8)), at: now)
      }
    }

    func shown(_ width: Int = 100, isPaused: Bool = false) -> [String] {
      entry.lines(width: width, at: now, isPaused: isPaused).map(\.text)
    }
  }

  private func time(_ seconds: Int64) -> BootTime {
    BootTime(nanoseconds: seconds * 1_000_000_000)
  }

  @Test
  func `every built-in hazard has a number key, and a hazard gets the time of its first key press`()
  {
    for (index, name) in Hazard.usualNames.enumerated() {
      for intensity in Hazard.intensities {
        var typist = Typist()
        #expect(
          typist.type("h", "\(index + 1)", "\(intensity)") == [
            .hazard(name: name, intensity: intensity, at: time(1))
          ])
        #expect(typist.type("\(index + 1)", "\(intensity)") == [])
      }
    }
  }

  @Test func `the key t begins the task whose id follows; without an id, it ends the running task`()
  {
    var typist = Typist()
    #expect(
      typist.type("t", "t", "u", "x", "\u{7f}", "g", " ", "\r") == [.task("tug", at: time(1))])
    #expect(typist.type("t", "\r") == [.task("", at: time(9))])
    #expect(typist.type("t", "a", "\u{1b}", "t", "\u{7f}", "\r") == [])
    #expect(typist.type("t") == [] && typist.shown().first == "task: _")
  }

  @Test func `keys without a function do nothing, and each key of an entry can be undone`() {
    var typist = Typist()
    #expect(
      typist.type("h", "0", "7", "x", "\r", "4", "4", "\u{1b}[A", "\u{7f}", "5", "3")
        == [.hazard(name: "Slope", intensity: 3, at: time(1))])
    #expect(typist.type("h", "4", "\u{1b}", "2") == [])
    #expect(typist.type("h", "\u{7f}", "1", "1") == [])
  }

  @Test
  func `when the view ends, an unfinished note is saved, but other unfinished entries are not`() {
    var typist = Typist()
    #expect(typist.type("n", " a ", "br", "\u{1b}", "n", "a", " ", "gate ") == [])
    #expect(typist.entry.finish() == .note("a gate", at: time(5)))
    #expect(typist.entry.finish() == nil && typist.type("h", "1", "1", "e") == [])
    for keys in ["", "n", "h"] {
      var typist = Typist()
      #expect(typist.type(keys) == [] && typist.entry.finish() == nil)
    }
  }

  @Test func `a note consists of one line of text and can be corrected`() {
    var typist = Typist()
    #expect(
      typist.type("n", "W", "eg", "ä", "e\u{301}", "\u{8}", "x", "\u{7f}", "\n")
        == [.note("Wegä", at: time(1))])
    #expect(typist.type("n", "e", "q", "h", "\u{1b}") == [])
    #expect(typist.type("n", "  ", "\r") == [])
    #expect(typist.type("n", "\u{7f}", "eh", "\r") == [.note("eh", at: time(18))])
  }

  @Test
  func `a character may be split between two reads, and invalid bytes are dropped from the text`() {
    var decoder = KeyDecoder()
    let bytes = Array("a→😀".utf8)
    for cut in 0...bytes.count {
      let keys = decoder.keys(of: Array(bytes[..<cut])) + decoder.keys(of: Array(bytes[cut...]))
      #expect(keys == [.scalar("a"), .scalar("→"), .scalar("😀")])
    }
    #expect(
      decoder.keys(of: [0xff, 0x80, 0xe2, 0x62, 0xc0, 0x80, 0x63]) == [
        .scalar("b"), .scalar("c"),
      ])
  }

  @Test func `control characters in pasted text are ignored, and pasted lines are joined`() {
    var typist = Typist()
    #expect(
      typist.type("n", "a\u{7}b\u{1b}[31mc\td\u{1b}OPf\r\ne\nq", "\r")
        == [.note("abcdf e q", at: time(1))])
    #expect(typist.type("the quick\n") == [])
    #expect(typist.type("\u{1b}", "quote") == [])
  }

  @Test func `a note is limited to the length that a record allows`() {
    var typist = Typist()
    _ = typist.type("n", String(repeating: "x", count: 3_000))
    #expect(typist.shown().last?.hasPrefix("the note is full") ?? false)
    #expect(
      typist.type("\r") == [.note(String(repeating: "x", count: 2_000), isCut: true, at: time(1))])
  }

  @Test(arguments: ["ä", "e\u{301}", "👩‍👩‍👧", "🇩🇪"])
  func `an overlong note is truncated between characters, and text typed after that is ignored`(
    _ character: String
  ) {
    let start = String(repeating: "x", count: 2_000)
    var typist = Typist()
    _ = typist.type("n", start + character + "y")
    #expect(typist.type("\r") == [.note(start, isCut: true, at: time(1))])
    let full = String(start.dropLast()) + character
    #expect(typist.type("n", full, "\r") == [.note(full, at: time(4))])
    // Deleting characters frees space, so the text typed afterwards is kept in full.
    #expect(
      typist.type("n", start + character, "\u{7f}", "y", "\r")
        == [.note(start.dropLast() + "y", at: time(7))])
  }

  @Test(arguments: ["e", "q"])
  func `the live view ends only when its key is pressed twice, and later keys have no effect`(
    key: String
  ) {
    var typist = Typist()
    #expect(typist.type(key, key, "h", "1", "1") == [.end])
    #expect(typist.shown() == ["ending …"])
  }

  @Test func `without a recording, the view accepts only one key`() {
    var typist = Typist(.view)
    #expect(typist.shown() == ["q ends the view"])
    #expect(typist.type("h", "1", "1", "n", "e", "q") == [.end])
  }

  @Test
  func
    `the keys are listed with shorter text, and on two lines if necessary, on a narrow terminal`()
  {
    let typist = Typist()
    #expect(
      typist.shown() == [
        "keys:  h notes a hazard  n adds a note  t tasks  p pauses  "
          + "e ends the recording"
      ]
    )
    #expect(typist.shown(40) == ["h hazard  n note  t task  p pause  e end"])
    #expect(
      typist.shown(isPaused: true) == [
        "keys:  h notes a hazard  n adds a note  t tasks  p resumes  e ends the recording"
      ])
    #expect(typist.shown(40, isPaused: true) == ["h hazard  n note  t task  p resume", "e end"])
  }

  @Test
  func `the key p pauses and resumes a recording, but has no effect in pasted text or in a view`() {
    var typist = Typist()
    #expect(typist.type("p", "h", "p", "1", "1", "p").count == 3)
    #expect(typist.type("p", "p") == [.pause(at: time(7)), .pause(at: time(8))])
    #expect(typist.type("pp", "ap") == [])
    #expect(typist.type("n", "p", "\r") == [.note("p", at: time(11))])
    var view = Typist(.view)
    #expect(view.type("p") == [])
  }

  @Test(arguments: ["pe", "ppp", "ap", "h42e", "e\n"])
  func `if a key is ignored because other keys arrived with it, the live view asks for it again`(
    _ keys: String
  ) {
    var typist = Typist()
    #expect(typist.type(keys).allSatisfy { if case .hazard = $0 { true } else { false } })
    #expect(typist.shown().joined().hasSuffix("as in pasted text: press it again"))
    #expect(typist.type("p") == [.pause(at: time(2))])
    var view = Typist(.view)
    #expect(view.type("qq") == [])
    #expect(
      view.shown() == ["q arrived together with other keys, as in pasted text: press it again"])
  }

  @Test func `the entry line shows which key is expected next`() {
    var typist = Typist()
    _ = typist.type("h")
    #expect(
      typist.shown(132) == [
        "hazard:  1 Change in Floor Levels  2 Uneven Surface  3 Debris or Obstacles  4 Slippery"
          + "  5 Slope  6 Poor Lighting  Esc goes back"
      ])
    #expect(
      typist.shown(40) == [
        "1 Change  2 Uneven  3 Debris  4 Slippery", "5 Slope  6 Poor  Esc back",
      ])
    _ = typist.type("4")
    #expect(
      typist.shown() == ["Slippery:  how bad is it, from 0 (nothing) to 3?  Esc goes back"])
    #expect(typist.shown(40) == ["Slippery, 0 to 3?  Esc back"])
    _ = typist.type("\u{1b}", "n", "a long note that does not fit")
    #expect(
      typist.shown(20) == ["note: …does not fit_", "Enter saves", "Esc discards"])
  }

  @Test func `no line shown during a key entry is wider than the terminal`() {
    for width in 1...140 {
      var typist = Typist()
      for read in ["h", "1", "\u{1b}", "n", "左手首 and a text that goes on and on and on", "\r"] {
        _ = typist.type(read)
        for line in typist.shown(width) { #expect(TerminalText.width(of: line) <= width) }
      }
    }
  }

  @Test func `a command's reply, or its error with a remedy, is shown for a few seconds`() {
    var typist = Typist()
    typist.entry.answer("Slippery 2 noted at 12:03:04", at: typist.now)
    typist.seconds += 4
    #expect(typist.shown() == ["Slippery 2 noted at 12:03:04"])
    typist.seconds += 1
    #expect(typist.shown(40) == ["h hazard  n note  t task  p pause  e end"])
    typist.entry.fail(Complaint("the disk is full", remedy: "free some of it"), at: typist.now)
    typist.seconds += 11
    #expect(
      typist.entry.lines(width: 80, at: typist.now) == [
        ViewLine("error: the disk is full", .notable), ViewLine("free some of it", .notable),
      ])
    _ = typist.type("h")
    #expect(typist.shown(132).first?.hasPrefix("hazard:") == true)
  }
}
