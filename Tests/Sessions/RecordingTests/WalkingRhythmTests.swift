@testable import Recording
import TestSupport
import Testing

@Suite(.computation) struct WalkingRhythmTests {
  private static let cadences = [70.0, 80, 105, 130]

  /// Returns the number of steps counted at the end, and the last cadence.
  private func count(_ board: WornBoard) -> (steps: Double, cadence: Double?) {
    var rhythm = WalkingRhythm(rate: board.rate)
    var cadence: Double?
    for (number, value) in board.samples.enumerated() {
      rhythm.add(value, counter: UInt32(number))
      cadence = rhythm.cadence ?? cadence
    }
    return (rhythm.steps, cadence)
  }

  @Test(arguments: WornBoard.Place.allCases, cadences)
  func `steps are counted wherever the board is worn`(place: WornBoard.Place, cadence: Double)
    throws
  {
    var board = WornBoard(seed: 3, rate: 100)
    board.stand(8)
    board.walk(90, at: place, cadence: cadence)
    board.stand(8)
    let found = count(board)
    #expect(abs(found.steps - board.steps) < 2 + 0.02 * board.steps)
    #expect(abs(try #require(found.cadence) / cadence - 1) < 0.06)
  }

  @Test(arguments: WornBoard.Place.allCases, [12.5, 25, 50, 200, 400])
  func `steps are counted at any sample rate`(place: WornBoard.Place, rate: Double) {
    var board = WornBoard(seed: 5, rate: rate)
    board.stand(6)
    board.walk(60, at: place)
    board.stand(6)
    #expect(abs(count(board).steps - board.steps) < 2 + 0.02 * board.steps)
  }

  @Test(arguments: WornBoard.Place.allCases)
  func `bending during a walk does not turn strides into steps`(place: WornBoard.Place) {
    var board = WornBoard(seed: 8, rate: 50)
    board.walk(60, at: place, lean: 0.9)
    #expect(abs(count(board).steps - board.steps) < 2 + 0.04 * board.steps)
  }

  @Test(arguments: WornBoard.Place.allCases, WornBoard.Place.allCases)
  func `moving the board to another place during a walk does not change the cadence`(
    one: WornBoard.Place, other: WornBoard.Place
  ) {
    var board = WornBoard(seed: 11, rate: 50)
    board.walk(60, at: one)
    board.walk(60, at: other)
    #expect(abs(count(board).steps - board.steps) < 4 + 0.02 * board.steps)
  }

  @Test(arguments: WornBoard.Exercise.allCases, [1.6, 1.8, 2.0, 2.3])
  func `lifting a weight is not a step`(exercise: WornBoard.Exercise, repetition: Double) {
    for rate in [12.5, 50] {
      var board = WornBoard(seed: 2, rate: rate)
      board.stand(5)
      board.lift(40, exercise, repetition: repetition)
      board.stand(5)
      #expect(count(board).steps == 0)
    }
  }

  @Test func `the step count of a walk is final when the walk ends`() {
    var board = WornBoard(seed: 21, rate: 50)
    board.walk(40, at: .wrist)
    let walked = board.steps
    board.stand(60)
    var rhythm = WalkingRhythm(rate: 50)
    var counts: [Double] = []
    for (number, value) in board.samples.enumerated() {
      rhythm.add(value, counter: UInt32(number))
      if number > 45 * 50 { counts.append(rhythm.steps) }
    }
    #expect(Set(counts).count == 1)
    #expect(abs(counts[0] - walked) < 3)
    #expect(rhythm.cadence == nil)
  }
}
