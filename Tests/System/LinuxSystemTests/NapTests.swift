import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct NapTests {
  @Test func `a woken task stops pausing, even if it was woken before the pause`() async {
    let nap = Nap()
    let sleeper = Task { await nap.seconds(3_600) }
    // Before or during the pause: both end it.
    nap.wake()
    await sleeper.value
    nap.wake()
    await nap.seconds(3_600)
    #expect(!nap.isOver)
  }

  @Test func `an end ends all pauses`() async {
    let nap = Nap()
    nap.end()
    await nap.seconds(3_600)
    await nap.seconds(3_600)
    #expect(nap.isOver)
  }
}
