import TestSupport
import Testing
import Values

@Suite(.computation) struct TextSearchTests {
  @Test(arguments: [
    ("alarm", "alarm"), ("aalarm", "alarm"), ("ababac at last", "abac"), ("x: ä", "ä"), ("", ""),
    ("text", ""),
  ])
  func `a substring is found anywhere in a string`(_ text: String, _ part: String) {
    #expect(text.holds(part))
    #expect(text.firstRange(ofText: part).map { String(text[$0]) } == part)
  }

  @Test(arguments: [("alarm", "alarms"), ("", "a"), ("ababab", "abac"), ("ö", "ä")])
  func `a missing substring is not found`(_ text: String, _ part: String) {
    #expect(!text.holds(part))
    #expect(text.firstRange(ofText: part) == nil)
  }

  @Test func `text is split at each separator, and empty parts are omitted`() {
    #expect("a, b, , c,d, ".split(at: ", ") == ["a", "b", "c,d"])
    #expect("".split(at: "::").isEmpty)
    #expect("one".split(at: "::") == ["one"])
    #expect("a\n\nb\n\n\nc".split(at: "\n\n") == ["a", "b", "\nc"])
  }

  @Test func `each occurrence of a substring is replaced`() {
    #expect("a_b__c".replacing("_", by: " ") == "a b  c")
    #expect("/tmp/x/tmp/".replacing("/tmp", by: "/tmp/tmp") == "/tmp/tmp/x/tmp/tmp/")
    #expect(#"C:\"x""#.replacing("\\", by: "\\\\") == #"C:\\"x""#)
  }
}
