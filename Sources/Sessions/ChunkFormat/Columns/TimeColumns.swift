internal import Values

/// Writes columns of instants in milliseconds, microseconds or nanoseconds: in the largest unit
/// that divides all of them.
extension ColumnEncoder {
  /// Appends instants in nanoseconds.
  mutating func append(times: [Int64], to bytes: inout [UInt8]) {
    // The divisors are compile-time constants, so the divisions are fast.
    if !times.allSatisfy({ $0 % 1_000 == 0 }) {
      append(times, in: 1, to: &bytes)
    } else if !times.allSatisfy({ $0 % 1_000_000 == 0 }) {
      append(times.map { $0 / 1_000 }, in: 1_000, to: &bytes)
    } else {
      append(times.map { $0 / 1_000_000 }, in: 1_000_000, to: &bytes)
    }
  }

  private mutating func append(_ times: [Int64], in unit: UInt64, to bytes: inout [UInt8]) {
    bytes.append(variableLength: unit)
    append(times, to: &bytes)
  }

  /// Appends the arrival time of each sample as two columns: the number of samples in each packet,
  /// and the arrival time of each packet.
  mutating func append(arrivals: [BootTime], to bytes: inout [UInt8]) {
    var packets: [Int64] = []
    var sizes: [Int32] = []
    packets.reserveCapacity(arrivals.count)
    sizes.reserveCapacity(arrivals.count)
    var size: Int32 = 0
    var last: Int64 = 0
    for arrival in arrivals {
      if size > 0, arrival.nanoseconds == last {
        size += 1
        continue
      }
      if size > 0 { sizes.append(size) }
      size = 1
      last = arrival.nanoseconds
      packets.append(last)
    }
    if size > 0 { sizes.append(size) }
    bytes.append(variableLength: UInt64(packets.count))
    append(sizes, to: &bytes)
    append(times: packets, to: &bytes)
  }
}

extension ColumnReader {
  /// Reads the next `count` instants, in nanoseconds; `nil` if the bytes are invalid.
  mutating func times(count: Int, in bytes: Span<UInt8>) -> [Int64]? {
    guard let number = number(in: bytes), let unit = Int64(exactly: number), unit > 0,
      var times = column(Int64.self, count: count, in: bytes)
    else { return nil }
    if unit == 1 { return times }
    for index in times.indices {
      let (time, isTooLarge) = times[index].multipliedReportingOverflow(by: unit)
      if isTooLarge { return nil }
      times[index] = time
    }
    return times
  }

  /// Reads the arrival time of each sample; `nil` if the bytes are invalid.
  mutating func arrivals(count: Int, in bytes: Span<UInt8>) -> [BootTime]? {
    guard let number = number(in: bytes), let packetCount = Int(exactly: number),
      packetCount <= count,
      let sizes = column(Int32.self, count: packetCount, in: bytes),
      let packets = times(count: packetCount, in: bytes)
    else { return nil }
    var arrivals: [BootTime] = []
    arrivals.reserveCapacity(count)
    for (size, packet) in zip(sizes, packets) {
      guard size > 0, size <= count - arrivals.count else { return nil }
      for _ in 0..<size { arrivals.append(BootTime(nanoseconds: packet)) }
    }
    return arrivals.count == count ? arrivals : nil
  }
}
