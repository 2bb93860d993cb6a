import Foundation
import TestSupport
import Testing
import Values

@Suite(.computation) struct JSONTextTests {
  @Test func `an object's members keep their order, and the text is on one line`() {
    let value: JSONValue = [
      "z": 1, "a": [true, .null, "x"], "empty": [:], "none": [], "b": -2.5,
    ]
    #expect(value.text == #"{"z":1,"a":[true,null,"x"],"empty":{},"none":[],"b":-2.5}"#)
  }

  @Test func `characters up to U+2FFF and beyond U+FFFF are read back unchanged by Foundation`()
    throws
  {
    let scalars =
      (0...0x2fff).compactMap { Unicode.Scalar($0 as UInt32) } + ["\u{1f309}", "\u{10ffff}"]
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    let again = try JSONSerialization.jsonObject(
      with: Data(JSONValue.array([.string(text)]).text.utf8))
    let first = try #require((again as? [String])?.first)
    #expect(Array(first.unicodeScalars) == Array(text.unicodeScalars))
    #expect(JSONValue.string("\u{1}\u{1f}\"\\\n").text == #""\u0001\u001f\"\\\n""#)
  }

  @Test(arguments: [
    (0, "0"), (-0.0, "-0"), (1, "1"), (0.1, "0.1"), (1e21, "1e+21"), (1e-7, "1e-07"),
    (1.7976931348623157e308, "1.7976931348623157e+308"), (.leastNonzeroMagnitude, "5e-324"),
    (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
  ])
  func `numbers are written with the fewest digits that read back exactly`(
    value: Double, text: String
  ) throws {
    #expect(JSONValue.number(value).text == text)
    if value.isFinite { #expect(Double(text) == value) }
  }

  @Test func `whole numbers are written with all their digits`() {
    #expect(JSONValue.integer(.max).text == "9223372036854775807")
    #expect(JSONValue.integer(.min).text == "-9223372036854775808")
  }
}
