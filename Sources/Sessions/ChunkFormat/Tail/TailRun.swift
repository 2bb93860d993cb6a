internal import Recording
internal import Values

/// The state of a stream in a group of frames, which its next run of samples continues.
///
/// Writer and reader have the same state, since both derive it from the written samples.
struct TailRun {
  /// The time from which a group counts is a multiple of this number of nanoseconds.
  static let baseUnit: Int64 = 1_000_000
  /// Unit of arrivals in nanoseconds, where all arrivals are multiples of it.
  static let arrivalUnit: Int64 = 1_000
  /// The period of a clock is written in these parts of a nanosecond, where it is a multiple of
  /// them.
  static let periodParts = 16.0
  /// Pace at which the scale of arrivals follows the arrivals.
  static let arrivalPace: UInt8 = 4
  /// Pace at which the rhythm follows the arrivals: by an eighth of the deviation.
  private static let rhythmPace: Int64 = 3

  enum Flag {
    /// The run does not continue its chunk where the one before ended.
    static let moved: UInt8 = 1
    /// The run contains the clock of its samples.
    static let clock: UInt8 = 2
    /// Some samples are not numbered consecutively.
    static let jumps: UInt8 = 4
    /// Gaps follow the head.
    static let gaps: UInt8 = 8
    /// The period is written as a 64-bit number.
    static let exactPeriod: UInt8 = 16
    /// The run is the first of its stream in the group.
    static let fresh: UInt8 = 32
    static let all: UInt8 = 63
  }

  /// The shape of a stream's runs, in one byte.
  struct Shape: Hashable {
    var axes: Int
    var hasTicks: Bool
    /// Whether arrivals are in nanoseconds.
    var isExact: Bool

    init(axes: Int, hasTicks: Bool, isExact: Bool) {
      self.axes = axes
      self.hasTicks = hasTicks
      self.isExact = isExact
    }

    init?(_ byte: UInt8) {
      guard byte < 64 else { return nil }
      self.init(axes: Int(byte >> 2), hasTicks: byte & 1 != 0, isExact: byte & 2 != 0)
    }

    var byte: UInt8 { UInt8(axes) << 2 | (isExact ? 2 : 0) | (hasTicks ? 1 : 0) }
    var columns: Int { axes + (hasTicks ? 1 : 0) }
    var unit: Int64 { isExact ? 1 : TailRun.arrivalUnit }
  }

  let shape: Shape
  /// End of the latest run.
  var sequence: UInt32
  var end: ChunkPosition
  /// Number of the latest sample.
  var counter: UInt32
  /// Expected time of the packet that began with the sample of this number.
  var rhythm: (time: Int64, counter: UInt32)
  /// Nanoseconds from one number to the next.
  var period: Int64 = 0
  /// Samples in most packets.
  var packetSize = 1
  var arrivalScale = ResidualScale(bits: 0, pace: Self.arrivalPace)
  /// Ticks, if there are any, and axes.
  var columns: [TailColumn] = []
  /// Scratch buffer for the codes of one column, kept to avoid reallocating.
  var codes: [UInt64] = []

  init(shape: Shape, sequence: UInt32, end: ChunkPosition, counter: UInt32, arrival: Int64) {
    self.shape = shape
    self.sequence = sequence
    self.end = end
    self.counter = counter
    rhythm = (arrival, counter)
  }

  /// A state for this run, which has to be appended as the first.
  init(beginning piece: ChunkPiece) {
    self.init(
      shape: Self.shape(of: piece), sequence: piece.sequence, end: ChunkPosition(),
      counter: piece.counters[0], arrival: piece.arrivals[0].nanoseconds)
    columns = Array(repeating: TailColumn(0), count: shape.columns)
  }

  /// Whether this run can continue this state.
  func fits(_ piece: ChunkPiece) -> Bool { shape == Self.shape(of: piece) }

  private static func shape(of piece: ChunkPiece) -> Shape {
    Shape(
      axes: piece.columns.count, hasTicks: !piece.ticks.isEmpty,
      isExact: !piece.arrivals.allSatisfy { $0.nanoseconds % arrivalUnit == 0 })
  }

  /// The period for predicting packets; 0 if the clock has no usable period.
  static func period(of clock: Chunk.Clock?) -> Int64 {
    guard let period = clock?.period, period.magnitude < 1e15 else { return 0 }
    return Int64(period)
  }

  /// Expected time of the packet that begins with this number, in the unit of arrivals.
  mutating func expected(_ counter: UInt32) -> Int64 {
    let steps = Int64(Int32(bitPattern: counter &- rhythm.counter))
    rhythm = (rhythm.time &+ steps &* period, counter)
    return rhythm.time / shape.unit
  }

  /// Moves the rhythm towards the arrival of the expected packet.
  mutating func follow(_ arrival: Int64) {
    rhythm.time &+= (arrival &- rhythm.time) >> Self.rhythmPace
  }

  /// The number of the sample at this position in a stream without losses.
  static func usualCounter(_ sequence: UInt32, _ start: Int) -> Int64 {
    Int64(sequence) * Int64(Chunk.capacity) + Int64(start)
  }
}
