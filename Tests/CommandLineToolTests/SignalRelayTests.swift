@testable import CommandLineTool
@testable import Terminal
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Signals for a program that is run for our caller.
@Suite(.realTime) struct SignalRelayTests {
  private let relay = SignalRelay(Console(output: MemorySink(), errors: MemorySink()))

  private func sleep() throws -> ChildProcess {
    try ChildProcess("sleep", ["600"], as: .command)
  }

  @Test(arguments: [true, false])
  func `a signal in the moment of the start ends the program`(_ fromTerminal: Bool) async throws {
    let start = try relay.start {
      // Before there is a process that a terminal could send it to.
      #expect(relay.take(SIGINT, fromTerminal: fromTerminal))
      return try sleep()
    }
    guard case .started(let program) = start else {
      Issue.record("the program was not started")
      return
    }
    #expect(await program.end() == 128 + SIGINT)
  }

  @Test func `a signal before the start prevents it, and a second one ends us`() throws {
    #expect(relay.take(SIGTERM, fromTerminal: false))
    #expect(!relay.take(SIGTERM, fromTerminal: false))
    guard case .prevented(SIGTERM) = try relay.start(sleep) else {
      Issue.record("the program was started")
      return
    }
  }

  @Test func `a terminal has sent its signals to the program already`() async throws {
    guard case .started(let program) = try relay.start(sleep) else {
      Issue.record("the program was not started")
      return
    }
    #expect(relay.take(SIGINT, fromTerminal: true))
    #expect(relay.take(SIGTERM, fromTerminal: false))
    #expect(await program.end() == 128 + SIGTERM)
  }
}
