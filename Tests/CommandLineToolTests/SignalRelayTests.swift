@testable import CommandLineTool
@testable import Terminal
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Signals that are relayed to a program started by a command.
@Suite(.realTime) struct SignalRelayTests {
  private let relay = SignalRelay(Console(output: MemorySink(), errors: MemorySink()))

  private func sleep() throws -> ChildProcess {
    try ChildProcess("sleep", ["600"], as: .command)
  }

  @Test(arguments: [true, false])
  func `a signal that arrives while the relayed program starts ends that program`(
    _ fromTerminal: Bool
  )
    async throws
  {
    let start = try relay.start {
      // The signal arrives before the process exists, so a terminal could not have sent it to that
      // process.
      #expect(relay.take(SIGINT, fromTerminal: fromTerminal))
      return try sleep()
    }
    guard case .started(let program) = start else {
      Issue.record("the program was not started")
      return
    }
    #expect(await program.end() == 128 + SIGINT)
  }

  @Test
  func `a signal before a program starts prevents the start, and a second signal ends footbridge`()
    throws
  {
    #expect(relay.take(SIGTERM, fromTerminal: false))
    #expect(!relay.take(SIGTERM, fromTerminal: false))
    guard case .prevented(SIGTERM) = try relay.start(sleep) else {
      Issue.record("the program was started")
      return
    }
  }

  @Test
  func `signals from a terminal are not relayed, because the child program receives them directly`()
    async throws
  {
    guard case .started(let program) = try relay.start(sleep) else {
      Issue.record("the program was not started")
      return
    }
    #expect(relay.take(SIGINT, fromTerminal: true))
    #expect(relay.take(SIGTERM, fromTerminal: false))
    #expect(await program.end() == 128 + SIGTERM)
  }
}
