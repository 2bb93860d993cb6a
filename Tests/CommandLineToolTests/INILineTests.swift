import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// The parsing of single lines of an INI file.
@Suite(.computation) struct INILineTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let meaning: INILine

    init(_ line: String, _ meaning: INILine) {
      self.line = line
      self.meaning = meaning
    }

    var testDescription: String { String(line.prefix(40)) }
  }

  private static let bytes60 = String(repeating: "ü", count: 30)

  @Test(arguments: [
    Case("", .nothing),
    Case("   \t", .nothing),
    Case("; a comment", .nothing),
    Case("# a = b", .nothing),
    Case("  ; an indented comment", .nothing),
    Case("[gateway]", .heading("gateway")),
    Case("[board left] ; mine", .heading("board left")),
    Case("[]", .heading("")),
    Case("[a]b]", .heading("a")),
    Case("[board a ;b]", .neither),
    Case("[open", .neither),
    Case("name=left", .pair(key: "name", value: "left")),
    Case("  name  =  left leg  ", .pair(key: "name", value: "left leg")),
    Case("name : left", .pair(key: "name", value: "left")),
    Case("gps = gpsd://10.0.0.1:2947", .pair(key: "gps", value: "gpsd://10.0.0.1:2947")),
    Case("hazard = Slope=2", .pair(key: "hazard", value: "Slope=2")),
    Case("note = one ; two", .pair(key: "note", value: "one")),
    Case("note = one;two", .pair(key: "note", value: "one;two")),
    Case("note = one # two", .pair(key: "note", value: "one # two")),
    Case("note =", .pair(key: "note", value: "")),
    Case("note = \(bytes60)", .pair(key: "note", value: bytes60)),
    Case("= 3", .pair(key: "", value: "3")),
    Case("alone", .neither),
    Case("name ; = 3", .neither),
    Case("\u{feff}[gateway]", .neither),
    Case("\u{feff}name = left", .pair(key: "\u{feff}name", value: "left")),
    Case("name = ; left", .pair(key: "name", value: "")),
    Case("name = left : right", .pair(key: "name", value: "left : right")),
    Case("\u{b}[gateway]", .heading("gateway")),
    Case("[gateway]\u{301}", .heading("gateway")),
    Case("[\u{301}]", .heading("\u{301}")),
    Case(
      "note = \(String(repeating: "x", count: 9_000))",
      .pair(key: "note", value: String(repeating: "x", count: 9_000))),
    Case("[\(String(repeating: "h", count: 200))]", .heading(String(repeating: "h", count: 200))),
    Case("[board \(bytes60)]", .heading("board \(bytes60)")),
  ])
  func `a line of any length is parsed as a heading, a pair, nothing or neither of these`(
    _ test: Case
  ) {
    #expect(INILine(test.line) == test.meaning)
  }
}
