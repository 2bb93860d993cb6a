import Foundation
import TestSupport
import Testing
import Values

/// Parsing JSON from any source.
@Suite(.computation) struct JSONParsingTests {
  @Test(arguments: [
    (#"null"#, JSON.null), (" \t\r\ntrue ", .bool(true)), ("-0", .number(-0.0)),
    ("1e2", .number(100)), ("0.1E-1", .number(0.01)), (#""""#, .text("")),
    (#""\u00e9\n\"\\\/\ud83d\ude00""#, .text("é\n\"\\/😀")), ("[]", .list([])),
    ("[1,[2,{}]]", .list([.number(1), .list([.number(2), .object([:])])])),
    (#"{"a":1,"a":2}"#, .object(["a": .number(2)])),
    (#"{"ü":null}"#, .object(["ü": .null])),
  ])
  func `a JSON text is parsed as the value it represents`(_ text: String, _ value: JSON) throws {
    #expect(try JSON(parsing: Array(text.utf8)) == value)
  }

  @Test(arguments: [
    "", " ", "tru", "nul", "01", "-", "+1", ".5", "1.", "1e", "0x1", "NaN", "1e999", "\"", #""\x""#,
    #""\u12""#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "\"\n\"", "[1,]",
    "[1 2]",
    "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "1 2", "[", "{", "]", "'a'", "// a\n1",
    String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
  ])
  func `invalid JSON is rejected`(_ text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: Array(text.utf8)) }
  }

  @Test func `a JSON text that is not UTF-8 is rejected`() {
    for bytes: [UInt8] in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]] {
      for text in [bytes, Array("a".utf8) + bytes, Array(#"ü\n"#.utf8) + bytes] {
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22] + text + [0x22]) }
        // A skipped text is checked as well.
        var parser = JSONParser([0x22] + text + [0x22])
        #expect(throws: JSONError.self) { try parser.pass() }
      }
    }
  }

  @Test func `escapes between other characters of a text are parsed, or skipped with the text`()
    throws
  {
    let text = Array(#""a\u00fcb\nü\"c""#.utf8)
    #expect(try JSON(parsing: text) == .text("aüb\nü\"c"))
    var parser = JSONParser(text)
    #expect(try parser.pass() == 0..<text.count)
    try parser.finish()
  }

  @Test
  func `Foundation accepts each randomly changed text that this parser accepts, with equal values`()
    throws
  {
    let seed = UInt64.random(in: 0...999_999)
    var generator = SeededGenerator(seed: seed)
    let decoder = JSONDecoder()
    let sample = Array(
      #"{"a":[1,-2.5e3,"x\u00e9\n",true,null],"b":{"c":"ü😀","d":[[],{}]},"e":0}"#.utf8)
    for round in 0..<3_000 {
      var bytes = sample
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: bytes[place] = sample.randomElement(using: &generator) ?? 0
        case 1: bytes.remove(at: place)
        default: bytes.insert(sample.randomElement(using: &generator) ?? 0, at: place)
        }
      }
      let ours = try? JSON(parsing: bytes)
      let theirs = try? decoder.decode(JSON.self, from: Data(bytes))
      // Every text that we accept, Foundation accepts too, with the same result. Foundation also
      // accepts some texts that we refuse. Of a repeated name it may keep either value.
      if let ours {
        #expect(
          theirs != nil, "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self))")
        if !Self.repeatsName(bytes) {
          #expect(
            theirs == ours,
            "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self))")
        }
      }
    }
  }

  private static func repeatsName(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.matches(of: /"([^"]*)"\s*:/).map { String($0.1) }
      .reduce(into: [:]) { $0[$1, default: 0] += 1 }.values.contains { $0 > 1 }
  }
}
