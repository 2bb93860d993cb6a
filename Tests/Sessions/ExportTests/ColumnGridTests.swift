import Export
import TestSupport
import Testing

@Suite(.computation) struct ColumnGridTests {
  @Test func `each instant in a chart's time range belongs to the column whose bounds contain it`()
  {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let from = Double.random(in: -1e5...1e5, using: &random)
      let span = Double([1e-9, 1e-6, 1, 3_600, 1e6].randomElement(using: &random) ?? 1)
      let grid = ColumnGrid(
        from: from, to: from + span * .random(in: 0...1, using: &random),
        columns: .random(in: 1...2_000, using: &random))
      #expect(grid.start(of: 0) == grid.first, "seed \(seed)")
      #expect(grid.start(of: grid.count) == grid.end, "seed \(seed)")
      for _ in 0..<20 {
        let instant = Int64.random(in: grid.first..<grid.end, using: &random)
        guard let column = grid.column(at: instant) else {
          Issue.record("no column; seed \(seed)")
          continue
        }
        #expect(
          (grid.start(of: column)..<grid.start(of: column + 1)).contains(instant), "seed \(seed)")
      }
      #expect(grid.column(at: grid.first - 1) == nil && grid.column(at: grid.end) == nil)
    }
  }

  @Test func `all columns of a chart have the same width, to the nanosecond`() {
    let grid = ColumnGrid(from: 1, to: 2, columns: 7)
    let bounds = (0...7).map { grid.start(of: $0) }
    let widths = zip(bounds.dropFirst(), bounds).map { $0 - $1 }
    #expect(widths.allSatisfy { $0 == 142_857_142 || $0 == 142_857_143 })
    #expect(grid.seconds(of: 0) == 1)
  }

  @Test func `any time range and any number of columns yield a valid grid of chart columns`() {
    let least = Double.leastNonzeroMagnitude
    let numbers = [-Double.infinity, -1e300, -1, 0, least, 1, 1e300, .infinity, .nan]
    for from in numbers {
      for to in numbers {
        for columns in [Int.min, -1, 0, 1, 600, Int.max] {
          let grid = ColumnGrid(from: from, to: to, columns: columns)
          #expect(grid.span > 0 && (1...ColumnGrid.mostColumns).contains(grid.count))
          #expect(grid.column(at: grid.first) == 0)
          #expect(grid.column(at: grid.end - 1) != nil)
          #expect(grid.column(at: .min) == nil && grid.column(at: .max) == nil)
        }
      }
    }
  }
}
