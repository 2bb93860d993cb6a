/// A stream that an import creates from columns of an audited file.
public struct ImportedStream: Sendable {
  public let description: StreamDescription
  /// The indices of the stream's axes among the file's signals.
  public let places: [Int]
  /// Mean spacing of samples in nanoseconds, excluding gaps.
  let spacing: Double
  /// Maximum microseconds by which a time may deviate from its line because of jitter or packets.
  let tolerance: Double
  /// The period of computed times in microseconds; `nil` for all other times.
  let period: Int64?

  var hasComputedTimes: Bool { period != nil }

  /// Groups adjacent columns with the same unit into streams of up to four axes. Omits columns that
  /// contain no number.
  static func all(of file: AuditedFile) -> [ImportedStream] {
    var groups: [[Int]] = []
    for (place, column) in file.columns.enumerated()
    where file.signals.extremes[place].low.isFinite {
      if let last = groups.last?.last, last == place - 1, file.columns[last].unit == column.unit,
        !column.unit.isEmpty, groups[groups.count - 1].count < StreamDescription.maximumAxisCount
      {
        groups[groups.count - 1].append(place)
      } else {
        groups.append([place])
      }
    }
    return groups.compactMap { ImportedStream(file, $0, isAlone: groups.count == 1) }
  }

  private init?(_ file: AuditedFile, _ places: [Int], isAlone: Bool) {
    let times = file.times
    guard let mean = (times.importedHertz ?? file.nominal).map({ 1e6 / $0 }), mean.isFinite else {
      return nil
    }
    self.places = places
    spacing = mean * 1e3
    tolerance = max(1.5 * mean, Double(times.spacing(at: 0.99) ?? 0)) + 2 * Double(times.resolution)
    let origin = times.origin
    period = origin.isComputed ? times.period ?? times.median : nil
    let columns = places.map { file.columns[$0] }
    let unit = Self.units[columns[0].unit.lowercased()] ?? columns[0].unit
    let scale = Self.scale(file, places)
    description = StreamDescription(
      signal: Self.signal(columns, unit, isAlone ? file.sensor : nil), unit: unit,
      axes: Self.axes(columns.map(\.name)), rawForm: scale == nil ? .float : .integer,
      countsPerUnit: scale ?? 1,
      rate: file.name.hertz ?? (file.explainsRate ? file.nominal : nil) ?? 1e6 / mean,
      lossAccounting: .estimated)
  }

  /// Returns a row's raw values; `nil` if a value is missing or does not fit.
  func raw(_ values: ArraySlice<Double>) -> [Int32]? {
    var raw: [Int32] = []
    raw.reserveCapacity(places.count)
    for place in places {
      let value = values[values.startIndex + place]
      switch description.rawForm {
      case .integer:
        guard let count = Int32(exactly: (value * description.countsPerUnit).rounded()) else {
          return nil
        }
        raw.append(count)
      case .float:
        guard Float(value).isFinite else { return nil }
        raw.append(Int32(bitPattern: Float(value).bitPattern))
      }
    }
    return raw
  }

  /// Returns the power of ten that makes all values integers; `nil` if these do not fit into 32
  /// bits, or if a number has an exponent or more than 18 digits.
  private static func scale(_ file: AuditedFile, _ places: [Int]) -> Double? {
    var digits = 0
    for place in places {
      guard let decimals = file.decimals[place] else { return nil }
      digits = max(digits, decimals)
    }
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let largest =
      places.map { place in
        let extremes = file.signals.extremes[place]
        return max(extremes.low.magnitude, extremes.high.magnitude)
      }.max() ?? 0
    return largest * scale < Double(Int32.max) ? scale : nil
  }

  /// Maps units to the names that this program uses.
  private static let units = ["°/s": "deg/s", "dps": "deg/s", "ut": "µT", "μt": "µT"]

  /// Maps sensors to the names that this program uses for their signals.
  private static let signals = [
    "accelerometer": "acceleration", "gyroscope": "angular_velocity",
    "magnetometer": "magnetic_field", "euler angles": "euler", "ambient light": "illuminance",
  ]

  private static func signal(
    _ columns: [(name: String, unit: String)], _ unit: String, _ sensor: String?
  ) -> String {
    if let sensor { return signals[sensor] ?? String(sensor.map { $0 == " " ? "_" : $0 }) }
    switch (columns.count, unit) {
    case (3, "g"): return "acceleration"
    case (3, "deg/s"): return "angular_velocity"
    default: return columns[0].name
    }
  }

  /// Returns the axis names: `x` for `x-axis`.
  private static func axes(_ names: [String]) -> [String] {
    guard names.count > 1 else { return StreamDescription.unnamedAxes(1) }
    return names.map { $0.lowercased().hasSuffix("-axis") ? String($0.dropLast(5)) : $0 }
  }
}
