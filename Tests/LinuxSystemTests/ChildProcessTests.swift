import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct ChildProcessTests {
  /// Whether a process is there, even as one that has ended and was not collected.
  private func exists(_ id: Int32) -> Bool {
    kill(id, 0) == 0 || errno != ESRCH
  }

  @Test func `a child is ended and collected when it is let go`() throws {
    var child: ChildProcess? = try ChildProcess("sleep", ["600"])
    let id = try #require(child?.id)
    #expect(exists(id))
    child = nil
    #expect(!exists(id))
  }

  @Test func `a child that ignores requests to end is ended nevertheless`() throws {
    let child = try ChildProcess("sh", ["-c", "trap '' TERM INT HUP; exec sleep 600"])
    child.kill()
    child.kill()
    #expect(!exists(child.id))
  }

  @Test func `a child finds the descriptors it was given, under their numbers`() throws {
    let pipe = try ChildOutput()
    let child = try ChildProcess(
      "sh", ["-c", "echo word >&7"], inheriting: [(ours: pipe.writing.number, theirs: 7)])
    let reader = pipe.closeWriting()
    let line = reader.firstLine(seconds: 20)
    #expect(line == "word")
    child.kill()
  }

  @Test func `a child hears the signals that its parent blocks`() throws {
    let pipe = try ChildOutput()
    let numbers = [pipe.writing.number]
    let script = "trap 'echo heard >&5; exit' TERM; kill -TERM $$; sleep 600"
    let child = try ChildProcess(
      "sh", ["-c", script], inheriting: [(ours: numbers[0], theirs: 5)])
    let reader = pipe.closeWriting()
    let line = reader.firstLine(seconds: 20)
    #expect(line == "heard")
    child.kill()
  }

  @Test func `a child that ends at once was started nevertheless`() throws {
    for _ in 0..<50 { try ChildProcess("true", []).kill() }
  }

  @Test func `programs are found in PATH`() throws {
    let shell = try #require(ChildProcess.locate("sh"))
    #expect(shell.hasSuffix("/sh"))
    #expect(FileManager.default.isExecutableFile(atPath: shell))
    #expect(ChildProcess.locate("no-such-program-here") == nil)
  }
}
