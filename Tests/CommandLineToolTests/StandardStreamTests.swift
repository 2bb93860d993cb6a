import CommandLineTool
import Foundation
import LinuxSystem
import Terminal
import TestSupport
import Testing

@Suite(.realTime) struct StandardStreamTests {
  private let terminalSettings = ["TERM": "xterm-256color"]

  @Test func `a closed pipe is distinguished from other failures`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    let stream = StandardStream(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "the pipe", environment: [:])
    try stream.write("a line\n")
    try pipe.fileHandleForReading.close()
    #expect(throws: OutputError.closed) { try stream.write("another\n") }
  }

  @Test func `writing to a full device fails with the kernel's message`() throws {
    let device = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let stream = StandardStream(
      descriptor: device.fileDescriptor, name: "the device", environment: [:])
    let error = #expect(throws: OutputError.self) { try stream.write("a line\n") }
    #expect("\(try #require(error))" == "cannot write to the device: No space left on device")
  }

  @Test func `all data arrives through a non-blocking pipe, even if it exceeds the pipe's buffer`()
    async throws
  {
    let pipe = Pipe()
    let writing = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let text = String(repeating: "0123456789abcde\n", count: 32_768)
    // The handle closes after the write, so the reader sees the end even if the write failed.
    let writer = Task.detached {
      defer { try? pipe.fileHandleForWriting.close() }
      try StandardStream(descriptor: writing, name: "the pipe", environment: [:]).write(text)
    }
    let received = try pipe.fileHandleForReading.readToEnd()
    try await writer.value
    #expect(received == Data(text.utf8))
  }

  @Test func `two streams are considered to have the same reader if they write to the same file`()
    throws
  {
    let (pipe, other) = (Pipe(), Pipe())
    func place(_ handle: FileHandle) -> SinkIdentity {
      StandardStream(descriptor: handle.fileDescriptor, name: "a pipe", environment: [:]).place
    }
    #expect(place(pipe.fileHandleForWriting) == place(pipe.fileHandleForWriting))
    #expect(place(pipe.fileHandleForWriting) != place(other.fileHandleForWriting))
  }

  @Test
  func `the cursor is restored if the terminal's buffer has space; a full buffer causes no delay`()
    throws
  {
    let pair = try PseudoTerminal()
    let far = try #require(FileHandle(forUpdatingAtPath: pair.path))
    let stream = StandardStream(
      descriptor: far.fileDescriptor, name: "the terminal", environment: terminalSettings)
    stream.writeAtOnce("\u{1b}[?25h")
    var buffer = [UInt8](repeating: 0, count: 64)
    #expect(pair.controller.read(into: &buffer) == 6)
    // The buffer is filled through another descriptor, because a write through the tested one would
    // block.
    let filler = try OwnedDescriptor.open(pair.path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
    while filler.write([UInt8](repeating: 0x78, count: 4_096)) > 0 {}
    stream.writeAtOnce("\u{1b}[?25h")
  }

  @Test func `a stream has a size only on a terminal that supports control sequences`() throws {
    let pipe = Pipe()
    #expect(
      StandardStream(
        descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "the pipe",
        environment: terminalSettings
      ).terminal == nil)

    let pair = try PseudoTerminal()
    let far = try #require(FileHandle(forWritingAtPath: pair.path))
    func terminal(_ environment: [String: String]) -> TerminalSize? {
      StandardStream(
        descriptor: far.fileDescriptor, name: "the terminal", environment: environment
      ).terminal
    }
    // A pseudo-terminal reports a size of 0 by 0 if its size was never set.
    #expect(terminal(terminalSettings) == TerminalSize(columns: 80, rows: 24))
    try pair.resize(columns: 132, rows: 50)
    #expect(terminal(terminalSettings) == TerminalSize(columns: 132, rows: 50))
    #expect(terminal(["TERM": "dumb"]) == nil)
    #expect(terminal([:]) == nil)
  }
}
