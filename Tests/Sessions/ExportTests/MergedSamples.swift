import Recording
import Values

@testable import Export

/// All samples of a session in chronological order, as an export reads them.
struct MergedSamples {
  struct Sample: Hashable {
    /// Index of the sample's stream in the source's list of streams.
    var stream: Int
    var time: BootTime
    var number: UInt32
    /// The sample's values in the stream's unit, in the order of the axes.
    var values: [Double]
  }

  private(set) var samples: [Sample] = []
  /// The gaps and missing chunks of each stream. Rows are not counted.
  let totals: ExportTotals

  init(_ source: some SessionSource) throws {
    var merge = try SampleMerge(source, ExportSelection())
    var gaps = GapTable()
    try merge.begin(in: source, gaps: &gaps)
    while let index = merge.earliest {
      let cursor = merge.cursors[index]
      samples.append(
        Sample(
          stream: merge.positions[index], time: BootTime(nanoseconds: cursor.time),
          number: cursor.number, values: (0..<cursor.axisCount).map { cursor.value($0) }))
      if !merge.step(index) { try merge.load(index, from: source, gaps: &gaps) }
    }
    totals = merge.totals
  }
}
