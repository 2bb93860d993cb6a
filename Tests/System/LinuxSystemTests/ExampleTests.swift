import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct ExampleTests {
  @Test func `the example in LinuxSystem's documentation runs`() throws {
    let sum = Guarded(0)
    let thread = try NamedThread("adder") {
      for number in 1...100 { sum.withLock { $0 += number } }
    }
    thread.join()
    let total = sum.withLock { $0 }
    #expect(total == 5_050)
  }
}
