internal import Values

/// A recording of one accelerometer, and the number of steps that its wearer took.
struct StepRecording {
  /// The number of steps according to the reference, and the uncertainty of this number.
  struct Truth {
    var steps: Int
    var uncertainty: Double
  }

  /// The placements at which the count may differ more from the truth. A bag swings freely. On a
  /// leg, the impacts of that leg's foot mask part of the other foot's steps.
  private static let coarse = ["bag", "purse", "thigh", "shank", "foot", "feet"]

  let file: RecordingFile
  /// The file's name, without the details that MetaBase adds after the start time.
  let name: String
  let placement: String
  /// Samples per second.
  let rate: Double
  /// The value of 1 g in the recording's unit; `nil` if the unit is unknown.
  let unitsPerG: Double?
  /// The value of one degree per second in the recording's unit of rotation; `nil` if unknown.
  let unitsPerDegree: Double?
  let truth: Truth

  /// The permitted difference from the truth in addition to its uncertainty, as a fraction.
  var tolerance: Double {
    let words = placement.lowercased()
    return Self.coarse.contains { words.contains($0) } ? 0.08 : 0.03
  }

  /// Whether a count is close enough to the truth. If the wearer took no steps, only 0 is accepted.
  func accepts(_ count: Int) -> Bool {
    let difference = Double(abs(count - truth.steps))
    guard truth.steps > 0 else { return count == 0 }
    return difference <= truth.uncertainty + tolerance * Double(truth.steps)
  }
}
