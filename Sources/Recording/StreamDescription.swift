/// What one stream carries: the signal, its unit, and how raw counts become values.
///
/// The command line, the store and the exports all read it from here.
public struct StreamDescription: Hashable, Sendable {
  /// How samples lost between the board and the gateway are known.
  public enum LossAccounting: UInt8, Hashable, Sendable {
    /// The board numbers its packets, so every lost sample is known.
    case counted = 0
    /// Packets carry no number: loss is inferred from timing and is an estimate.
    case estimated = 1
  }

  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Unit of the values, such as `g`.
  public var unit: String
  /// Number of axes of a sample: 1, 3 or 4.
  public var axisCount: Int
  /// Raw counts per unit; a value is its raw count divided by this.
  public var countsPerUnit: Double
  /// Samples per second as configured; the board's own clock may be off by a percent.
  public var rate: Double
  /// How loss is known.
  public var lossAccounting: LossAccounting

  /// A description with the given parts.
  public init(
    signal: String, unit: String, axisCount: Int, countsPerUnit: Double, rate: Double,
    lossAccounting: LossAccounting
  ) {
    self.signal = signal
    self.unit = unit
    self.axisCount = axisCount
    self.countsPerUnit = countsPerUnit
    self.rate = rate
    self.lossAccounting = lossAccounting
  }

  /// Names of the axes, in the order in which a sample holds them.
  public static let axisNames = ["x", "y", "z", "w"]
}
