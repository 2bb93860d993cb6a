internal import Recording
internal import Values

/// The state of a stream within a group of frames, from which its next run of samples continues.
///
/// The writer and the reader arrive at the same state, since both derive it from the samples
/// written.
struct TailRun {
  /// The base time of a group is rounded to a multiple of this many nanoseconds.
  static let baseUnit: Int64 = 1_000_000
  /// Unit of arrival times, in nanoseconds. Used if all arrival times in a run are multiples of it.
  static let arrivalUnit: Int64 = 1_000
  /// Units per nanosecond for storing a clock's period, if the period is a whole number of units.
  static let periodParts = 16.0
  /// Pace of the residual scale for arrivals: its mean moves by a sixteenth of its difference from
  /// each code.
  static let arrivalPace: UInt8 = 4
  /// Pace of the rhythm: the expected time moves towards each arrival by an eighth of the
  /// deviation.
  private static let rhythmPace: Int64 = 3

  enum Flag {
    /// The run of samples does not start where the stream's previous run ended.
    static let moved: UInt8 = 1
    /// The run of samples includes the clock of its samples.
    static let clock: UInt8 = 2
    /// The numbers of some samples are not consecutive.
    static let jumps: UInt8 = 4
    /// Gaps follow the head of the run of samples.
    static let gaps: UInt8 = 8
    /// The clock's period is stored as a 64-bit floating-point number.
    static let exactPeriod: UInt8 = 16
    /// The run of samples is the first of its stream in the group of frames.
    static let fresh: UInt8 = 32
    static let all: UInt8 = 63
  }

  /// The number of columns and the time unit in a stream's runs, encoded in one byte.
  struct Shape: Hashable {
    var axes: Int
    var hasTicks: Bool
    /// Whether arrival times are stored in nanoseconds instead of microseconds.
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
  /// Sequence number of the chunk that contains the latest run.
  var sequence: UInt32
  var end: ChunkPosition
  /// The board's counter at the latest sample.
  var counter: UInt32
  /// Expected arrival time of the packet whose first sample has this counter value.
  var rhythm: (time: Int64, counter: UInt32)
  /// Nanoseconds between consecutive samples.
  var period: Int64 = 0
  /// Number of samples in a packet of the usual size.
  var packetSize = 1
  var arrivalScale = ResidualScale(bits: 0, pace: Self.arrivalPace)
  /// The column of ticks, if the stream contains ticks, followed by one column per axis.
  var columns: [TailColumn] = []
  /// Scratch buffer for the codes of one column, reused to avoid allocations.
  var codes: [UInt64] = []

  init(shape: Shape, sequence: UInt32, end: ChunkPosition, counter: UInt32, arrival: Int64) {
    self.shape = shape
    self.sequence = sequence
    self.end = end
    self.counter = counter
    rhythm = (arrival, counter)
  }

  /// Creates the initial state of a stream, for a run that does not continue an earlier one.
  init(beginning piece: ChunkPiece) {
    self.init(
      shape: Self.shape(of: piece), sequence: piece.sequence, end: ChunkPosition(),
      counter: piece.counters[0], arrival: piece.arrivals[0].nanoseconds)
    columns = Array(repeating: TailColumn(0), count: shape.columns)
  }

  /// Whether a run has the same shape as the previous runs, and can therefore continue from this
  /// state.
  func fits(_ piece: ChunkPiece) -> Bool { shape == Self.shape(of: piece) }

  private static func shape(of piece: ChunkPiece) -> Shape {
    Shape(
      axes: piece.columns.count, hasTicks: !piece.ticks.isEmpty,
      isExact: !piece.arrivals.allSatisfy { $0.nanoseconds % arrivalUnit == 0 })
  }

  /// Returns the period for predicting packets, in nanoseconds; 0 if the clock has no usable
  /// period.
  static func period(of clock: Chunk.Clock?) -> Int64 {
    guard let period = clock?.period, period.magnitude < 1e15 else { return 0 }
    return Int64(period)
  }

  /// Returns the expected arrival time of the packet whose first sample has this counter value, in
  /// the unit of arrival times.
  mutating func expected(_ counter: UInt32) -> Int64 {
    let steps = Int64(Int32(bitPattern: counter &- rhythm.counter))
    rhythm = (rhythm.time &+ steps &* period, counter)
    return rhythm.time / shape.unit
  }

  /// Shifts the expected arrival times towards the packet's actual arrival time.
  mutating func follow(_ arrival: Int64) {
    rhythm.time &+= (arrival &- rhythm.time) >> Self.rhythmPace
  }

  /// Returns the counter value of the sample at this position in a stream without losses.
  static func usualCounter(_ sequence: UInt32, _ start: Int) -> Int64 {
    Int64(sequence) * Int64(Chunk.capacity) + Int64(start)
  }
}
