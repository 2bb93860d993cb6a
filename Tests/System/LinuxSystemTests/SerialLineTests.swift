import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Reads from a line for at most a minute, and returns at most this many bytes.
private func read(_ line: borrowing SerialLine, count: Int) -> [UInt8] {
  var polls = PollSet()
  polls.add(line.number)
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 512)
  let end = GivenTime.now.advanced(bySeconds: patience)
  while bytes.count < count, GivenTime.now < end {
    polls.wait(seconds: 1)
    let count = line.read(into: &buffer)
    if count > 0 { bytes += buffer[..<count] }
  }
  return bytes
}

@Suite(.realTime) struct SerialLineTests {
  @Test func `every byte is received as it was sent`() throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: .baud4800)
    // The bytes include CR, XON, XOFF, interrupt and end of file, on which a terminal would act.
    let bytes = (0...255).map { UInt8($0) }
    let written = terminal.controller.write(bytes)
    #expect(written == 256)
    let found = read(line, count: 256)
    #expect(found == bytes)
  }

  @Test func `discarding unread bytes ends a terminal's exclusive mode`() throws {
    // This is TIOCGEXCL, a macro that Swift cannot import.
    let isAlone = { (number: Int32) -> Int32 in
      var answer: Int32 = -1
      _ = unsafe ioctl(number, 0x8004_5440, &answer)
      return answer
    }
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: .baud9600)
    let before = isAlone(line.number)
    #expect(before == 1)
    // A killed reader leaves the line in this state, because it cannot restore the settings.
    terminal.discardUnread()
    let after = isAlone(line.number)
    #expect(after == 0)
  }

  @Test func `a silent line does not block its reader and is not reported as gone`() throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: .baud9600)
    var buffer = [UInt8](repeating: 0, count: 16)
    let outcome = line.read(into: &buffer)
    #expect(SerialLine.isNothingYet(outcome))
  }

  @Test func `a named pipe can be read like a serial line that has no speed`() throws {
    let folder = try TemporaryFolder()
    let pipe = try OwnedDescriptor.openPipe(folder.path + "/pipe")
    #expect(pipe.write([1, 2, 3]) == 3)
    var line = try SerialLine(path: folder.path + "/pipe", speed: nil)
    let (hasSpeed, speed) = (line.hasSpeed, line.speed)
    #expect(!hasSpeed && speed == nil)
    try line.change(to: .baud9600)
    #expect(pipe.write([4, 5]) == 2)
    let found = read(line, count: 2)
    #expect(found == [4, 5])
    _ = consume pipe
    var buffer = [UInt8](repeating: 0, count: 16)
    var outcome = line.read(into: &buffer)
    // A process that another test is starting may still have a copy of the pipe's descriptor.
    for _ in 0..<1_000 where SerialLine.isNothingYet(outcome) {
      usleep(10_000)
      outcome = line.read(into: &buffer)
    }
    #expect(outcome == 0)
  }

  @Test func `a line whose device has disappeared is reported as gone`() throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: .baud9600)
    let isNamed = line.isStillNamed
    #expect(isNamed)
    _ = consume terminal
    var polls = PollSet()
    let position = polls.add(line.number)
    polls.wait(seconds: 10)
    #expect(polls.isHungUp(position) || polls.isReadable(position))
    var buffer = [UInt8](repeating: 0, count: 16)
    let outcome = line.read(into: &buffer)
    #expect(outcome <= 0 && !SerialLine.isNothingYet(outcome))
  }

  @Test func `bytes received before the line was opened are discarded`() throws {
    let terminal = try PseudoTerminal()
    let early = terminal.controller.write(Array("early".utf8))
    #expect(early == 5)
    let line = try SerialLine(path: terminal.path, speed: .baud9600)
    let late = terminal.controller.write(Array("late".utf8))
    #expect(late == 4)
    let found = read(line, count: 4)
    #expect(found == Array("late".utf8))
  }

  @Test func `a name that has moved to another device is detected`() throws {
    let folder = try TemporaryFolder()
    let name = folder.path + "/receiver"
    let (first, second) = (try Terminal(), try Terminal())
    try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: first.path)
    let line = try SerialLine(path: name, speed: .baud9600)
    let before = line.isStillNamed
    #expect(before)
    try FileManager.default.removeItem(atPath: name)
    let without = line.isStillNamed
    #expect(!without)
    try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: second.path)
    let after = line.isStillNamed
    #expect(!after)
  }

  @Test func `a regular file is rejected with a reason`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/file"
    try Data().write(to: URL(fileURLWithPath: path))
    #expect {
      _ = try SerialLine(path: path, speed: .baud9600)
    } throws: { error in
      "\(error)" == "cannot use \(path) as a serial port: Inappropriate ioctl for device"
    }
  }

  @Test(arguments: SerialSpeed.allCases)
  func `every speed can be set on a serial line`(_ speed: SerialSpeed) throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: speed)
    var mode = termios()
    #expect(unsafe tcgetattr(line.number, &mode) == 0)
    // The kernel's codes increase with the speed, so the terminal's mode shows which speed was set.
    let faster = SerialSpeed.allCases.filter { $0.rawValue > speed.rawValue }
    for other in faster {
      let otherTerminal = try PseudoTerminal()
      let otherLine = try SerialLine(path: otherTerminal.path, speed: other)
      var otherMode = termios()
      #expect(unsafe tcgetattr(otherLine.number, &otherMode) == 0)
      #expect(unsafe cfgetispeed(&mode) < cfgetispeed(&otherMode))
    }
  }

  /// A terminal in a box that can be stored in a tuple.
  private final class Terminal {
    let path: String
    private let terminal: PseudoTerminal

    init() throws {
      let terminal = try PseudoTerminal()
      path = terminal.path
      self.terminal = terminal
    }
  }
}

@Suite(.realTime) struct PseudoTerminalTests {
  @Test func `readers of a simulated line can connect and disconnect`() throws {
    let terminal = try PseudoTerminal()
    for text in ["one", "two", "six"] {
      let line = try SerialLine(path: terminal.path, speed: .baud9600)
      let count = terminal.controller.write(Array(text.utf8))
      #expect(count == 3)
      let found = read(line, count: 3)
      #expect(found == Array(text.utf8))
    }
  }

  @Test
  func `writing without a reader never blocks, and bytes that were not read can be discarded`()
    throws
  {
    let terminal = try PseudoTerminal()
    let burst = [UInt8](repeating: 0x41, count: 1_000)
    var refused = 0
    for _ in 0..<1_000 where terminal.controller.write(burst) < burst.count { refused += 1 }
    #expect(refused > 0)
    terminal.discardUnread()
    let end = GivenTime.now.advanced(bySeconds: patience)
    var count = 0
    // The kernel forwards bytes asynchronously, so the space may be freed with a short delay.
    while count < 1_000, GivenTime.now < end {
      count = terminal.controller.write(burst)
      terminal.discardUnread()
    }
    #expect(count == 1_000)
  }
}
