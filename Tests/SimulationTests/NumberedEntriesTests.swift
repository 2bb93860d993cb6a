import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct NumberedEntriesTests {
  @Test func `entries behave like those of a dictionary, but in numerical order`() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the numbered entries: \(seed)")
    var random = SeededGenerator(seed: seed)
    var entries: NumberedEntries<Int> = [:]
    var dictionary: [UInt8: Int] = [:]
    for step in 0..<2_000 {
      let number = UInt8.random(in: 0..<12, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        entries[number] = step
        dictionary[number] = step
      case 1:
        let wasThere = entries.remove(number)
        #expect(wasThere == (dictionary.removeValue(forKey: number) != nil))
      default:
        entries[number]? += 1
        dictionary[number]? += 1
      }
      #expect(entries.numbers == dictionary.keys.sorted())
      #expect(entries.values == entries.numbers.map { dictionary[$0] })
      #expect(entries.isEmpty == dictionary.isEmpty)
      #expect(
        entries.freeNumber(below: 12) == (0..<12 as Range<UInt8>).first { dictionary[$0] == nil })
    }
  }

  @Test func `only the entry that is removed during an iteration is skipped`() {
    var entries: NumberedEntries<String> = [2: "a", 7: "b", 4: "c", 9: "d"]
    var visited: [UInt8] = []
    while let place = entries.place(after: visited.last) {
      visited.append(entries.numbers[place])
      if visited.last == 4 { _ = entries.remove(7) }
    }
    #expect(visited == [2, 4, 9])
  }
}
