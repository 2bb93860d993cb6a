import TestSupport
import Testing

@testable import Recording

/// Numbers that samples come with: right ones, spoiled ones, and those of a board that began again.
@Suite(.computation) struct NumberWatchTests {
  private func verdicts(
    _ numbers: [UInt32], rate: Double = 100, secondsApart: Double = 0.01
  ) -> [NumberWatch.Verdict] {
    var watch = NumberWatch(rate: rate)
    return numbers.enumerated().map { index, number in
      watch.judge(
        number, at: BootTime(nanoseconds: Int64(Double(index) * secondsApart * 1e9)))
    }
  }

  @Test func `numbers that rise follow, and tell how many are missing`() {
    #expect(
      verdicts([7, 8, 10, .max, 11, 60])
        == [0, 0, 1].map { .follows(missing: $0) } + [.repeated]
        + [0, 48].map { .follows(missing: $0) })
    #expect(verdicts([.max - 1, .max, 0, 1]).allSatisfy { $0 == .follows(missing: 0) })
  }

  @Test(arguments: [UInt32(1) << 17, 1 << 24, 1 << 30])
  func `a flipped bit costs the sample it is in, and no other`(bit: UInt32) {
    var numbers = Array(UInt32(0)..<2_500)
    numbers[600] ^= bit
    let found = verdicts(numbers)
    #expect(found[600] == .impossible)
    #expect(found[601] == .follows(missing: 1))
    #expect(found.count { $0 == .follows(missing: 0) } == 2_498)
  }

  @Test func `a late sample that was counted as missing is taken for a repetition`() {
    #expect(verdicts([0, 50] + Array(1..<50)).dropFirst(2).allSatisfy { $0 == .repeated })
  }

  @Test(arguments: [UInt32(0), 5_000_000, 2_000_000_000])
  func `a board that counts from elsewhere is followed after a second`(start: UInt32) {
    let numbers = Array(UInt32(100_000)..<100_500) + (0..<1_000).map { start &+ $0 }
    let found = verdicts(numbers)
    let again = found.firstIndex(of: .renumbered)
    #expect((600...605).contains(again ?? 0))
    #expect(found.suffix(890).allSatisfy { $0 == .follows(missing: 0) })
  }

  @Test func `after minutes without a packet a number may be far away`() {
    var watch = NumberWatch(rate: 100)
    _ = watch.judge(0, at: BootTime(nanoseconds: 0))
    let later = BootTime(nanoseconds: 600_000_000_000)
    #expect(watch.judge(60_200, at: later) == .follows(missing: 60_199))
  }

  @Test func `a slow stream loses what a fast one would`() {
    #expect(
      verdicts([0, 1, 3, 4], rate: 0.1, secondsApart: 10)
        == [0, 0, 1, 0].map { .follows(missing: $0) })
  }
}
