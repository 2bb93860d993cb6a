import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// The lines and views that are queued or dropped while the reader is not reading.
@Suite(.computation) struct OutputQueueTests {
  private func taken(_ queue: inout OutputQueue) -> [OutputQueue.Piece] {
    var pieces: [OutputQueue.Piece] = []
    while let piece = queue.next() { pieces.append(piece) }
    return pieces
  }

  private func result(_ text: String) -> OutputQueue.Piece {
    .result(Array(text.utf8), units: 0, isText: true)
  }

  @Test
  func `only the latest unpainted view is kept, below any lines printed in the meantime`() {
    var queue = OutputQueue()
    queue.add(.view([ViewLine("first")]))
    queue.add(.line("link lost", to: .errors))
    queue.add(.view([ViewLine("second")]))
    #expect(taken(&queue) == [.line("link lost", to: .errors), .view([ViewLine("second")])])
  }

  @Test func `a view queued before a result is printed, even if newer views follow the result`() {
    var queue = OutputQueue()
    queue.add(.view([ViewLine("first")]))
    queue.add(result("samples"))
    queue.add(.view([ViewLine("second")]))
    queue.add(.view([ViewLine("third")]))
    #expect(
      taken(&queue) == [.view([ViewLine("first")]), result("samples"), .view([ViewLine("third")])])
  }

  @Test func `progress that is queued several times is printed once, with the latest value`() {
    var queue = OutputQueue()
    for percent in 1...100 { queue.add(.progress("\(percent) %")) }
    #expect(taken(&queue) == [.progress("100 %")])
  }

  @Test func `lines that do not fit into the output queue are counted and replaced by the count`() {
    var queue = OutputQueue()
    let most = OutputQueue.mostLines
    for number in 0..<most + 250 { queue.add(.line("\(number)", to: .errors)) }
    queue.add(.view([ViewLine("view")]))
    queue.add(.line("one more", to: .errors))
    for _ in 0..<most / 2 { _ = queue.next() }
    queue.add(.line("there is room", to: .errors))
    let rest = taken(&queue)
    #expect(rest.count == most / 2 + 3)
    #expect(
      rest.suffix(3) == [
        .omission(251, of: .errors), .view([ViewLine("view")]), .line("there is room", to: .errors),
      ])
  }

  @Test func `in the output queue, a long line takes up the space of several short ones`() {
    var queue = OutputQueue()
    let line = String(repeating: "x", count: 10_000)
    for _ in 0..<100 { queue.add(.line(line, to: .errors)) }
    let pieces = taken(&queue)
    #expect(pieces.count == OutputQueue.mostLineBytes / 10_000 + 1)
    #expect(pieces.last == .omission(100 - OutputQueue.mostLineBytes / 10_000, of: .errors))
  }

  @Test func `the output queue never drops errors and results`() {
    var queue = OutputQueue()
    for number in 0..<2_000 { queue.add(.line("\(number)", to: .errors)) }
    queue.add(result("samples"))
    queue.add(.complaint("error: the disk is full"))
    #expect(queue.resultBytes == 7)
    #expect(taken(&queue).suffix(2) == [result("samples"), .complaint("error: the disk is full")])
    #expect(queue.resultBytes == 0)
    #expect(queue.isEmpty)
  }
}
