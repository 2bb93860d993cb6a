import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing

/// The program with a terminal or a pipe that nobody reads, for example after a connection is lost.
@Suite(.realTime) struct UnreadTerminalTests {
  /// Returns a terminal with a full buffer, which has no space for the program's first line.
  private func fullTerminal() throws -> PseudoTerminal {
    let terminal = try PseudoTerminal()
    let filler = try OwnedDescriptor.open(
      terminal.path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
    while filler.write([UInt8](repeating: 0x2e, count: 4_096)) > 0 {}
    return terminal
  }

  /// Returns the kinds of the events in the first session of a world's store.
  private func events(_ world: BoardsWorld) throws -> [String] {
    guard FileManager.default.fileExists(atPath: world.store) else { return [] }
    let reader = try StoreReader(path: world.store)
    guard let session = try reader.sessions().first else { return [] }
    return try reader.events(of: session.id).map(\.kind.rawValue)
  }

  @Test func `an unread terminal does not block recording, reconnection or shutdown`()
    async throws
  {
    let world = try await BoardsWorld(boards: 2, ["--fault", "disconnect@8"])
    let terminal = try fullTerminal()
    let program = try world.start(["record", "--boards", "2"], onTerminal: terminal.path)
    try await wait(for: "the link is replaced") {
      (try? events(world).contains("reconnected")) == true
    }
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect([0, 130].contains(outcome.status))
    let reader = try StoreReader(path: world.store)
    let sessions = try reader.sessions()
    let session = try #require(sessions.first)
    #expect(session.end != nil)
    let samples = try reader.streams(of: session.id).map(\.sampleCount)
    #expect(samples.allSatisfy { $0 > 100 }, "\(samples)")
    await world.endWithoutComplaints()
  }

  @Test
  func `a second interrupt ends the program, even if the terminal and the boards do not respond`()
    async throws
  {
    let world = try await BoardsWorld()
    let terminal = try fullTerminal()
    let program = try world.start(["record"], onTerminal: terminal.path)
    try await wait(for: "it records") { (try? events(world).contains("settings")) == true }
    world.freeze()
    program.signal(SIGINT)
    program.signal(SIGTERM)
    let outcome = await program.wait(within: 3)
    #expect(outcome.status == 143)
    world.thaw()
  }

  @Test func `a Bluetooth daemon that hangs delays the end of a recording by less than 20 seconds`()
    async throws
  {
    let world = try await BoardsWorld()
    let program = try world.start("record")
    #expect(await program.line { $0.contains("1 of 1 board streaming") } != nil)
    world.freeze()
    program.signal(SIGINT)
    let outcome = await program.wait(within: 20)
    #expect(outcome.status != -SIGKILL, "\(outcome.errors)")
    #expect(outcome.errors.contains("bluetoothd does not respond"), "\(outcome.errors)")
    world.thaw()
  }

  private func waitForBytes(in pipe: borrowing OwnedDescriptor) async throws {
    let number = pipe.number
    try await wait(for: "the pipe has something") {
      var polls = PollSet()
      polls.add(number)
      polls.wait(seconds: 0)
      return polls.isReadable(0)
    }
  }

  @Test func `an interrupt ends a stream to an unread pipe`() async throws {
    let world = try await BoardsWorld()
    let fifo = world.scratch.path + "/fifo"
    #expect(unsafe mkfifo(fifo, 0o600) == 0)
    // This reader never reads from the pipe.
    let reader = try OwnedDescriptor.open(fifo, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    let program = try Program(
      "/bin/sh",
      [
        "-c", "exec '\(Program.footbridge)' stream \(world.addresses[0]) --csv > '\(fifo)'",
      ], environment: world.environment)
    #expect(await program.remarks { $0.contains("event=streaming") })
    try await waitForBytes(in: reader)
    program.signal(SIGINT)
    let outcome = await program.wait(within: 30)
    #expect(outcome.status == 130, "\(outcome.errors)")
    await world.endWithoutComplaints()
  }

  @Test func `an interrupt ends an export to an unread pipe`() async throws {
    let scratch = try Scratch()
    let store = try await scratch.recordDemo()
    let fifo = scratch.path + "/fifo"
    #expect(unsafe mkfifo(fifo, 0o600) == 0)
    let reader = try OwnedDescriptor.open(fifo, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    let program = try Program(
      "/bin/sh",
      ["-c", "exec '\(Program.footbridge)' export last --store '\(store)' > '\(fifo)'"],
      environment: scratch.environment)
    try await waitForBytes(in: reader)
    program.signal(SIGINT)
    let outcome = await program.wait(within: 30)
    #expect(outcome.status == 130, "\(outcome.errors)")
  }

  @Test func `a recording continues after the reader of its output has disappeared`() async throws {
    let world = try await BoardsWorld()
    let outcome = try await Program.run(
      "/bin/sh",
      [
        "-c",
        "'\(Program.footbridge)' record --seconds 7 --export '\(world.scratch.path)/out' | head -n 1",
      ],
      environment: world.environment)
    #expect(outcome.output.split(separator: "\n").count == 1, "\(outcome.output)")
    #expect(outcome.errors.contains("output stopped"), "\(outcome.errors)")
    let reader = try StoreReader(path: world.store)
    let sessions = try reader.sessions()
    let session = try #require(sessions.first)
    let samples = try reader.streams(of: session.id).map(\.sampleCount)
    #expect(samples.allSatisfy { $0 > 600 }, "\(samples)")
    #expect(FileManager.default.fileExists(atPath: world.scratch.path + "/out/samples.csv"))
    await world.endWithoutComplaints()
  }
}
