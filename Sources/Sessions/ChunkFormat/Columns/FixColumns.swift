internal import Recording
internal import Values

extension Fix {
  /// Appends fixes as columns. Unknown values are omitted from their columns, and the flags show
  /// which values are known.
  static func append(
    _ fixes: [Fix], to bytes: inout [UInt8], with encoder: inout ColumnEncoder
  ) {
    bytes.append(variableLength: UInt64(fixes.count))
    encoder.append(fixes.map(\.columnFlags), to: &bytes)
    encoder.append(fixes.map { Int32($0.quality.rawValue) }, to: &bytes)
    encoder.append(times: fixes.map(\.arrival.nanoseconds), to: &bytes)
    encoder.append(times: fixes.map(\.utc.nanoseconds), to: &bytes)
    encoder.append(decimals: fixes.map(\.latitude), to: &bytes)
    encoder.append(decimals: fixes.map(\.longitude), to: &bytes)
    encoder.append(decimals: fixes.compactMap(\.altitudeMSL), to: &bytes)
    encoder.append(decimals: fixes.compactMap(\.geoidSeparation), to: &bytes)
    encoder.append(decimals: fixes.compactMap(\.speed), to: &bytes)
    encoder.append(decimals: fixes.compactMap(\.track), to: &bytes)
    encoder.append(decimals: fixes.compactMap(\.hdop), to: &bytes)
    encoder.append(fixes.compactMap { $0.satellites.map(Int32.init) }, to: &bytes)
    encoder.append(decimals: fixes.compactMap { $0.error?.horizontal }, to: &bytes)
    encoder.append(decimals: fixes.compactMap { $0.error?.vertical }, to: &bytes)
    encoder.append(fixes.compactMap { ($0.error?.basis.rawValue).map(Int32.init) }, to: &bytes)
  }

  /// Reads a section's fixes; `nil` if the bytes are invalid.
  static func fixes(_ reader: inout ColumnReader, in bytes: Span<UInt8>) -> [Fix]? {
    guard let number = reader.number(in: bytes), let count = Int(exactly: number),
      count <= ChunkLayout.maximumFixCount,
      let flags = reader.column(Int32.self, count: count, in: bytes),
      flags.allSatisfy({ $0 & ~ColumnFlag.all == 0 }),
      let qualities = reader.column(Int32.self, count: count, in: bytes),
      let arrivals = reader.times(count: count, in: bytes),
      let utc = reader.times(count: count, in: bytes),
      let latitudes = reader.decimals(count: count, in: bytes),
      let longitudes = reader.decimals(count: count, in: bytes)
    else { return nil }
    var fixes: [Fix] = []
    fixes.reserveCapacity(count)
    for index in 0..<count {
      guard let quality = UInt8(exactly: qualities[index]).flatMap(Quality.init) else { return nil }
      fixes.append(
        Fix(
          arrival: BootTime(nanoseconds: arrivals[index]), utc: UTCTime(nanoseconds: utc[index]),
          latitude: latitudes[index], longitude: longitudes[index],
          isThreeDimensional: flags[index] & Int32(Flag.threeDimensional) != 0, quality: quality,
          followsLoss: flags[index] & ColumnFlag.followsLoss != 0))
    }
    for (field, flag) in Self.optionalFields {
      let known = fixes.indices.filter { flags[$0] & Int32(flag) != 0 }
      guard let values = reader.decimals(count: known.count, in: bytes) else { return nil }
      for (index, value) in zip(known, values) { fixes[index][keyPath: field] = value }
    }
    let known = fixes.indices.filter { flags[$0] & Int32(Flag.satellites) != 0 }
    guard let satellites = reader.column(Int32.self, count: known.count, in: bytes) else {
      return nil
    }
    for (index, value) in zip(known, satellites) {
      guard let value = UInt8(exactly: value) else { return nil }
      fixes[index].satellites = value
    }
    return readErrors(&fixes, flags, &reader, in: bytes) ? fixes : nil
  }

  /// Reads the error estimates, which are the last columns. Returns false if the bytes are invalid.
  private static func readErrors(
    _ fixes: inout [Fix], _ flags: [Int32], _ reader: inout ColumnReader, in bytes: Span<UInt8>
  ) -> Bool {
    let known = fixes.indices.filter { flags[$0] & ColumnFlag.error != 0 }
    let vertical = fixes.indices.filter { flags[$0] & ColumnFlag.verticalError != 0 }
    guard vertical.allSatisfy({ flags[$0] & ColumnFlag.error != 0 }),
      let horizontals = reader.decimals(count: known.count, in: bytes),
      let verticals = reader.decimals(count: vertical.count, in: bytes),
      let bases = reader.column(Int32.self, count: known.count, in: bytes)
    else { return false }
    for (place, index) in known.enumerated() {
      guard let basis = UInt8(exactly: bases[place]).flatMap(ErrorEstimate.Basis.init) else {
        return false
      }
      fixes[index].error = ErrorEstimate(horizontal: horizontals[place], basis: basis)
    }
    for (index, value) in zip(vertical, verticals) { fixes[index].error?.vertical = value }
    return true
  }

  /// A fix's flags that are used in a chunk's columns, but not in tail records.
  private enum ColumnFlag {
    static let error: Int32 = 128
    static let verticalError: Int32 = 256
    static let followsLoss: Int32 = 512
    static let all: Int32 = 1_023
  }

  private var columnFlags: Int32 {
    Int32(flags) | (error == nil ? 0 : ColumnFlag.error)
      | (error?.vertical == nil ? 0 : ColumnFlag.verticalError)
      | (followsLoss ? ColumnFlag.followsLoss : 0)
  }

  /// The optional fields and their flags, in the order of storage.
  private static var optionalFields: [(WritableKeyPath<Fix, Double?>, UInt8)] {
    [
      (\.altitudeMSL, Flag.altitudeMSL), (\.geoidSeparation, Flag.geoidSeparation),
      (\.speed, Flag.speed), (\.track, Flag.track), (\.hdop, Flag.hdop),
    ]
  }

  var flags: UInt8 {
    var flags: UInt8 = isThreeDimensional ? Flag.threeDimensional : 0
    for (field, flag) in Self.optionalFields where self[keyPath: field] != nil { flags |= flag }
    if satellites != nil { flags |= Flag.satellites }
    return flags
  }
}
