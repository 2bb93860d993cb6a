import TestSupport
import Testing
import Values

@Suite(.computation) struct ShellTextTests {
  @Test(arguments: [
    ("footbridge", "footbridge"), ("/dev/pts/3", "/dev/pts/3"), ("--gps", "--gps"),
    ("C8:4B:AA:97:50:05", "C8:4B:AA:97:50:05"), ("", "''"), ("two words", "'two words'"),
    ("unix:path=/tmp/a,guid=0f", "'unix:path=/tmp/a,guid=0f'"), ("$(reboot)", "'$(reboot)'"),
    ("a;b&c|d", "'a;b&c|d'"), ("~", "'~'"), ("*", "'*'"), (#"back\slash"#, #"'back\slash'"#),
    ("it's", #"'it'\''s'"#), ("'", #"''\'''"#), ("Füße", "'Füße'"), ("a\nb", "'a\nb'"),
  ])
  func `a quoted word remains one word in a shell and is not expanded`(
    word: String, written: String
  ) throws {
    #expect(ShellText.quoted(word) == written)
  }

  @Test func `a command line's words are separated by spaces`() {
    #expect(ShellText.list(["record", "left wrist", "--gps"]) == "record 'left wrist' --gps")
  }
}
