import TestSupport
import Testing
@testable import Recording
import Values

/// Sample numbers that are correct, corrupt, or from a restarted board.
@Suite(.computation) struct NumberWatchTests {
  private func verdicts(
    _ numbers: [UInt32], rate: Double = 100, secondsApart: Double = 0.01
  ) -> [NumberWatch.Verdict] {
    var watch = NumberWatch(rate: rate)
    return numbers.enumerated().map { index, number in
      watch.judge(
        number, at: BootTime(nanoseconds: Int64(Double(index) * secondsApart * 1e9)),
        mayDoubt: false)
    }
  }

  @Test func `increasing sample numbers are accepted, and the missing ones are counted`() {
    #expect(
      verdicts([7, 8, 10, .max, 11, 60])
        == [0, 0, 1].map { .follows(missing: $0) } + [.repeated]
        + [0, 48].map { .follows(missing: $0) })
    #expect(verdicts([.max - 1, .max, 0, 1]).allSatisfy { $0 == .follows(missing: 0) })
  }

  @Test(arguments: [UInt32(1) << 17, 1 << 24, 1 << 30])
  func `a flipped bit in a sample number affects only its own sample`(bit: UInt32) {
    var numbers = Array(UInt32(0)..<2_500)
    numbers[600] ^= bit
    let found = verdicts(numbers)
    #expect(found[600] == .impossible)
    #expect(found[601] == .follows(missing: 1))
    #expect(found.count { $0 == .follows(missing: 0) } == 2_498)
  }

  @Test func `a late sample that was counted as missing is treated as a repeated sample`() {
    #expect(verdicts([0, 50] + Array(1..<50)).dropFirst(2).allSatisfy { $0 == .repeated })
  }

  @Test
  func `a sample number too far ahead for the elapsed time is not trusted until the next packet`() {
    func at(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }
    var watch = NumberWatch(rate: 100)
    #expect(watch.judge(7, at: at(0)) == .follows(missing: 0))
    // The number is corrupt, because the next one continues from the earlier numbers.
    #expect(watch.judge(263, at: at(10)) == .doubtful)
    #expect(watch.judge(264, at: at(10)) == .doubtful, "of the same packet")
    #expect(watch.settle(before: 265, at: at(10)) == .open)
    #expect(watch.settle(before: 10, at: at(30)) == .spoiled)
    #expect(watch.judge(10, at: at(30)) == .follows(missing: 2))
    // The number is correct: the previous sample was late, and the next number continues from this
    // one.
    #expect(watch.judge(300, at: at(31)) == .doubtful)
    #expect(watch.settle(before: 301, at: at(40)) == .right(missing: 289))
    #expect(watch.judge(301, at: at(40)) == .follows(missing: 0))
    // No later number shows whether this number is correct.
    #expect(watch.judge(400, at: at(41)) == .doubtful)
    #expect(watch.believe() == .right(missing: 98))
    #expect(watch.believe() == .open)
    // The time since the last sample is long enough for the missing numbers.
    #expect(watch.judge(450, at: at(541)) == .follows(missing: 49))
  }

  @Test(arguments: [UInt32(0), 5_000_000, 2_000_000_000])
  func `when a board's sample numbering restarts, the new numbers are accepted after one second`(
    start: UInt32
  ) {
    let numbers = Array(UInt32(100_000)..<100_500) + (0..<1_000).map { start &+ $0 }
    let found = verdicts(numbers)
    let again = found.firstIndex(of: .renumbered)
    #expect((600...605).contains(again ?? 0))
    #expect(found.suffix(890).allSatisfy { $0 == .follows(missing: 0) })
  }

  @Test func `after minutes without a packet, a sample number far ahead is accepted`() {
    var watch = NumberWatch(rate: 100)
    _ = watch.judge(0, at: BootTime(nanoseconds: 0))
    let later = BootTime(nanoseconds: 600_000_000_000)
    #expect(watch.judge(60_200, at: later) == .follows(missing: 60_199))
  }

  @Test func `missing sample numbers are counted in slow and fast streams alike`() {
    #expect(
      verdicts([0, 1, 3, 4], rate: 0.1, secondsApart: 10)
        == [0, 0, 1, 0].map { .follows(missing: $0) })
  }
}
