import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// Changes to one key's value in the text of a configuration file.
@Suite(.computation) struct ConfigurationEditTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let key: String
    let values: [String]
    let text: String
    let expected: String

    var testDescription: String { "\(key) = \(values.joined(separator: ", "))" }
  }

  @Test(arguments: [
    Case(
      key: "recording.seal", values: ["5"],
      text: "; mine\n[recording]\nseal = 15 ; short\nnote = a\n",
      expected: "; mine\n[recording]\nseal = 5 ; short\nnote = a\n"),
    Case(
      key: "seal", values: [], text: "[recording]\nseal = 15 ; short\nnote = a\n",
      expected: "[recording]\nnote = a\n"),
    Case(
      key: "seal", values: [], text: "[recording]\nnote = a", expected: "[recording]\nnote = a"),
    Case(
      key: "seal", values: ["5"], text: "[recording]\n\n# How long\n;seal = 15\n\n[upload]\n",
      expected: "[recording]\n\n# How long\n;seal = 15\nseal = 5\n\n[upload]\n"),
    Case(
      key: "seal", values: ["5"], text: "[recording]\nnote = a\n\n[upload]\n;seal = 3\n",
      expected: "[recording]\nnote = a\nseal = 5\n\n[upload]\n;seal = 3\n"),
    Case(
      key: "upload.when", values: ["never"], text: "[recording]\nwhen = always",
      expected: "[recording]\nwhen = always\n\n[upload]\nwhen = never\n"),
    Case(key: "store.path", values: ["/x"], text: "", expected: "[store]\npath = /x\n"),
    Case(
      key: "gateway.name", values: [""], text: "[gateway]\r\nname = a\r\n",
      expected: "[gateway]\r\nname =\r\n"),
    Case(
      key: "adapter", values: ["A", "B", "C"], text: "[gateway]\r\nadapter = X\r\nname = a\r\n",
      expected: "[gateway]\r\nadapter = A\r\nadapter = B\r\nadapter = C\r\nname = a\r\n"),
    Case(
      key: "sensor", values: ["A"], text: "[sensors]\nsensor = X\n; both\nsensor = Y ; why\n",
      expected: "[sensors]\nsensor = A\n; both\n"),
    Case(
      key: "board left.placement", values: ["left ankle"],
      text: "[board right]\nplacement = x\n[board Left]\naddress = y\n",
      expected: "[board right]\nplacement = x\n[board Left]\naddress = y\nplacement = left ankle\n"),
    Case(
      key: "board no. 3.address", values: ["y"], text: "[gateway]\n",
      expected: "[gateway]\n\n[board no. 3]\naddress = y\n"),
  ])
  func `setting one key leaves all other lines of the configuration file unchanged`(_ test: Case)
    throws
  {
    let edit = try ConfigurationEdit(test.key, test.values)
    let bytes = try edit.applied(to: Array(test.text.utf8), file: "f.conf")
    #expect(String(decoding: bytes, as: UTF8.self) == test.expected)
  }

  @Test(arguments: ["a ; b", " a", "a "])
  func `a configuration value that would read back differently is rejected`(_ value: String) throws
  {
    let edit = try ConfigurationEdit("note", [value])
    #expect(
      throws: Complaint(
        "f.conf cannot store this value of 'recording.note'",
        remedy: "remove ' ;' and any leading or trailing spaces", status: .usage)
    ) { try edit.applied(to: Array("[recording]\n".utf8), file: "f.conf") }
  }

  @Test func `an unknown or ambiguous key, or a value that the key cannot have, is rejected`() {
    for (word, values) in [
      ("sealing", ["5"]), ("when", ["always"]), ("board.address", ["x"]),
      ("board -x.address", ["x"]),
      ("board left.colour", ["x"]), ("seal", ["5", "6"]), ("note", ["a\nb"]),
    ] {
      #expect(throws: Complaint.self) { try ConfigurationEdit(word, values) }
    }
  }
}
