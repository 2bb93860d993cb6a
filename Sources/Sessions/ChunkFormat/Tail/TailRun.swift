internal import Recording
internal import Values

/// Where a stream is in a group of frames: what its next run of samples goes on from.
///
/// Writer and reader have the same, since both take it from the written samples.
struct TailRun {
  /// Times of a group are distances from a multiple of so many nanoseconds.
  static let baseUnit: Int64 = 1_000_000
  /// Arrivals are written in these, where they are multiples of them.
  static let arrivalUnit: Int64 = 1_000
  /// Parts of a nanosecond in which the period of a line is written, where it is a multiple of
  /// them.
  static let periodParts = 16.0
  /// How fast the scale of arrivals follows them.
  static let arrivalPace: UInt8 = 4
  /// How fast the rhythm of arrivals follows them: by an eighth of the deviation.
  private static let rhythmPace: Int64 = 3

  /// What a run says of itself.
  enum Flag {
    /// It does not go on in its chunk where the one before ended.
    static let moved: UInt8 = 1
    /// It says when its samples were taken.
    static let clock: UInt8 = 2
    /// Some samples are not the next by their number.
    static let jumps: UInt8 = 4
    /// Gaps follow.
    static let gaps: UInt8 = 8
    /// The period is written as it is.
    static let exactPeriod: UInt8 = 16
    /// It is the first of its stream in the group.
    static let fresh: UInt8 = 32
    static let all: UInt8 = 63
  }

  /// What a stream is like as far as a run shows it, in one byte.
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
  /// Where the latest run ended.
  var sequence: UInt32
  var end: ChunkPosition
  /// Number of the latest sample.
  var counter: UInt32
  /// When the packet that began with the sample of this number was expected.
  var rhythm: (time: Int64, counter: UInt32)
  /// Nanoseconds from one number to the next.
  var period: Int64 = 0
  /// Samples in most packets.
  var packetSize = 1
  var arrivalScale = ResidualScale(bits: 0, pace: Self.arrivalPace)
  /// Ticks, if there are any, and axes.
  var columns: [TailColumn] = []
  /// Numbers of one column on their way into bits; empty otherwise, for its memory.
  var codes: [UInt64] = []

  init(shape: Shape, sequence: UInt32, end: ChunkPosition, counter: UInt32, arrival: Int64) {
    self.shape = shape
    self.sequence = sequence
    self.end = end
    self.counter = counter
    rhythm = (arrival, counter)
  }

  /// Begins with this run, which has to be appended as the first.
  init(beginning piece: ChunkPiece) {
    self.init(
      shape: Self.shape(of: piece), sequence: piece.sequence, end: ChunkPosition(),
      counter: piece.counters[0], arrival: piece.arrivals[0].nanoseconds)
    columns = Array(repeating: TailColumn(0), count: shape.columns)
  }

  /// Whether this run can go on here.
  func fits(_ piece: ChunkPiece) -> Bool { shape == Self.shape(of: piece) }

  private static func shape(of piece: ChunkPiece) -> Shape {
    Shape(
      axes: piece.columns.count, hasTicks: !piece.ticks.isEmpty,
      isExact: !piece.arrivals.allSatisfy { $0.nanoseconds % arrivalUnit == 0 })
  }

  /// The period to expect packets by, of a line that may say anything.
  static func period(of clock: Chunk.Clock?) -> Int64 {
    guard let period = clock?.period, period.magnitude < 1e15 else { return 0 }
    return Int64(period)
  }

  /// When the packet that begins with this number is expected, in the unit of arrivals.
  mutating func expected(_ counter: UInt32) -> Int64 {
    let steps = Int64(Int32(bitPattern: counter &- rhythm.counter))
    rhythm = (rhythm.time &+ steps &* period, counter)
    return rhythm.time / shape.unit
  }

  /// The packet has come then.
  mutating func follow(_ arrival: Int64) {
    rhythm.time &+= (arrival &- rhythm.time) >> Self.rhythmPace
  }

  /// The number of a sample at this place of a stream that never lost one.
  static func usualCounter(_ sequence: UInt32, _ start: Int) -> Int64 {
    Int64(sequence) * Int64(Chunk.capacity) + Int64(start)
  }
}
