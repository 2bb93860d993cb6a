import Benchmarks
import TestSupport
import Testing

@Suite(.computation) struct FiguresTests {
  @Test func `the minimum, median and 99th percentile of a single value equal that value`() {
    let figures = Figures([5])
    #expect([figures.minimum, figures.median, figures.percentile99] == [5, 5, 5])
  }

  @Test func `the median of an even number of values is halfway between the middle two`() {
    #expect(Figures([4, 1, 3, 2]).median == 2.5)
    #expect(Figures([3, 1, 2]).median == 2)
  }

  @Test func `one outlier in two hundred values lies above the 99th percentile`() {
    let values = (1...199).map(Double.init) + [1_000_000]
    #expect(Figures(values).percentile99 == 198)
    #expect(Figures((1...100).map(Double.init)).percentile99 == 99)
  }
}
