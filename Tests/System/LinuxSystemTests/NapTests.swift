import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct NapTests {
  @Test func `a wake-up ends a task's pause, even if it precedes the pause`() async {
    let nap = Nap()
    let sleeper = Task { await nap.seconds(3_600) }
    // The wake-up occurs before or during the pause, and ends it in either case.
    nap.wake()
    await sleeper.value
    nap.wake()
    await nap.seconds(3_600)
    #expect(!nap.isOver)
  }

  @Test func `a nap that has been ended skips all later pauses`() async {
    let nap = Nap()
    nap.end()
    await nap.seconds(3_600)
    await nap.seconds(3_600)
    #expect(nap.isOver)
  }
}
