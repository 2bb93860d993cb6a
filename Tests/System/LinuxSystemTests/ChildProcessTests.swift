import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct ChildProcessTests {
  /// Returns whether a process exists. A process that has ended but has not been reaped still
  /// exists.
  private func exists(_ id: Int32) -> Bool {
    kill(id, 0) == 0 || errno != ESRCH
  }

  @Test func `a child is killed and reaped when its owner releases it`() throws {
    var child: ChildProcess? = try ChildProcess("sleep", ["600"])
    let id = try #require(child?.id)
    #expect(exists(id))
    child = nil
    #expect(!exists(id))
  }

  @Test func `a child that ignores requests to terminate is killed`() throws {
    let child = try ChildProcess("sh", ["-c", "trap '' TERM INT HUP; exec sleep 600"])
    child.kill()
    child.kill()
    #expect(!exists(child.id))
  }

  @Test func `a child inherits descriptors with the requested numbers`() throws {
    let pipe = try ChildOutput()
    let child = try ChildProcess(
      "sh", ["-c", "echo word >&7"], inheriting: [(ours: pipe.writing.number, theirs: 7)])
    let reader = pipe.closeWriting()
    let line = reader.firstLine(seconds: 20)
    #expect(line == "word")
    child.kill()
  }

  @Test func `a child receives signals that its parent blocks`() throws {
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

  @Test func `a child that exits at once is considered to have started`() throws {
    for _ in 0..<50 { try ChildProcess("true", []).kill() }
  }

  @Test func `a child's exit status is reported as in a shell`() async throws {
    let child = try ChildProcess("sh", ["-c", "exit 7"], as: .command)
    #expect(await child.end() == 7)
    #expect(await child.end() == 7)
    let killed = try ChildProcess("sh", ["-c", "kill -KILL $$"], as: .command)
    #expect(await killed.end() == 128 + SIGKILL)
    let asked = try ChildProcess("sleep", ["600"], as: .command)
    asked.signal(SIGTERM)
    #expect(await asked.end() == 128 + SIGTERM)
    asked.signal(SIGTERM)
  }

  @Test
  func `a command inherits the environment, adds its own variables, and is killed by SIGPIPE`()
    async throws
  {
    signal(SIGPIPE, SIG_IGN)
    let script = #"test "$HOME, $A" = "elsewhere, b c" && test -n "$PATH" && kill -PIPE $$"#
    let child = try ChildProcess(
      "sh", ["-c", script], as: .command, environment: ["HOME": "elsewhere", "A": "b c"])
    #expect(await child.end() == 128 + SIGPIPE)
  }

  @Test(arguments: [("no-such-program-here", ENOENT), ("/etc/passwd", EACCES)])
  func `a command that cannot be started causes an error`(program: String, number: Int32) {
    #expect(throws: SystemError("start \(program)", number: number)) {
      try ChildProcess(program, [], as: .command)
    }
  }

  @Test
  func `commands share their parent's process group, and only background processes lead sessions`()
    async throws
  {
    func ids(_ role: ChildProcess.Role) async throws -> [String] {
      let pipe = try ChildOutput()
      // Fields of the kernel's `stat` file for a process: process group and session.
      let child = try ChildProcess(
        "sh", ["-c", "echo $$; cut -d ' ' -f 5,6 /proc/$$/stat"], as: role,
        inheriting: [(ours: pipe.writing.number, theirs: 1)])
      let lines = try await pipe.closeWriting().all()
      _ = await child.end()
      return lines.split { $0.isWhitespace }.map(String.init)
    }
    let command = try await ids(.command)
    #expect(Array(command.dropFirst()) == ["\(getpgrp())", "\(getsid(0))"])
    let helper = try await ids(.helper)
    #expect(Array(helper.dropFirst()) == [helper[0], "\(getsid(0))"])
    let background = try await ids(.background)
    #expect(Array(background.dropFirst()) == [background[0], background[0]])
  }

  @Test func `a background process continues after its owner is released, and its end is detected`()
    async throws
  {
    var child: ChildProcess? = try ChildProcess("sleep", ["600"], as: .background)
    let id = try #require(child?.id)
    child = nil
    #expect(exists(id))
    kill(id, SIGKILL)
    try await wait(for: "its thread collects it") { !exists(id) }
  }

  @Test func `programs are searched for in PATH`() throws {
    let shell = try #require(ChildProcess.locate("sh"))
    #expect(shell.hasSuffix("/sh"))
    #expect(FileManager.default.isExecutableFile(atPath: shell))
    #expect(ChildProcess.locate("no-such-program-here") == nil)
  }
}
