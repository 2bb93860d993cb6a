import LinuxSystem
import TestSupport
import Testing
import Values

@Suite(.realTime) struct WakeUpTests {
  /// Returns whether a poll that does not wait detects a ring.
  private func isRung(_ wake: WakeUp) -> Bool {
    var polls = PollSet()
    let position = polls.add(wake.number)
    polls.wait(seconds: 0)
    return polls.isReadable(position)
  }

  @Test func `a wake-up remains set until it is cleared`() throws {
    let wake = try WakeUp()
    #expect(!isRung(wake))
    wake.ring()
    #expect(isRung(wake))
    #expect(isRung(wake))
    wake.clear()
    #expect(!isRung(wake))
  }

  @Test
  func `several wake-ups act as one, and clearing without a wake-up does not block`()
    throws
  {
    let wake = try WakeUp()
    for _ in 0..<1_000 { wake.ring() }
    wake.clear()
    wake.clear()
    #expect(!isRung(wake))
  }

  @Test func `a wake-up from another thread ends a wait`() throws {
    let wake = try WakeUp()
    let thread = try NamedThread("ringer") { wake.ring() }
    var polls = PollSet()
    let position = polls.add(wake.number)
    polls.wait(seconds: 30)
    #expect(polls.isReadable(position))
    thread.join()
  }
}

@Suite(.realTime) struct PollSetTests {
  @Test func `a wait without events lasts at least the requested time`() throws {
    let wake = try WakeUp()
    var polls = PollSet()
    polls.add(wake.number)
    for seconds in [0.000_4, 0.003, 0.02] {
      let start = BootClock.now()
      polls.wait(seconds: seconds)
      let waited = BootClock.now().seconds(since: start)
      #expect(waited >= seconds)
      #expect(waited < 10)
    }
  }

  @Test func `ready descriptors are identified by their positions`() throws {
    let (first, second) = (try WakeUp(), try WakeUp())
    var polls = PollSet()
    let positions = [polls.add(first.number), polls.add(second.number)]
    #expect(positions == [0, 1])
    second.ring()
    polls.wait(seconds: 30)
    #expect(!polls.isReadable(0))
    #expect(polls.isReadable(1))
    polls.removeAll()
    #expect(polls.add(second.number) == 0)
    polls.wait(seconds: 30)
    #expect(polls.isReadable(0))
  }

  @Test func `events from one wait are not reported in the next wait`() throws {
    let wake = try WakeUp()
    var polls = PollSet()
    polls.add(wake.number)
    wake.ring()
    polls.wait(seconds: 30)
    wake.clear()
    polls.wait(seconds: 0)
    #expect(!polls.isReadable(0))
  }

  @Test func `a closed peer is reported as a hang-up`() throws {
    let pair = try OwnedDescriptor.packetSocketPair()
    let near = pair.split { far in _ = consume far }
    var polls = PollSet()
    let position = polls.add(near.number)
    polls.wait(seconds: 30)
    #expect(polls.isHungUp(position))
  }
}
