internal import Glibc
internal import Recording
internal import Values

/// A chunk's columns as 64-bit integers, used to compute their entropy.
struct CodecColumns {
  /// Sample numbers, and arrival times in microseconds.
  let time: [[Int64]]
  /// The raw values of each axis.
  let axes: [[Int64]]

  init(_ chunk: Chunk) {
    time = [chunk.counters.map { Int64($0) }, chunk.arrivals.map { $0.nanoseconds / 1_000 }]
    axes = chunk.columns.map { $0.map { Int64($0) } }
  }
}

/// Computes the size of chunks after ideal order-0 entropy coding without a code table. All
/// encoders are compared with this size.
enum ResidualEntropy {
  /// Returns the number of bytes needed for all columns of the chunks, which alternate between two
  /// signals. For each axis of each signal, the best of four polynomial predictors is used. For
  /// times, each packet's deviation from a regular interval is encoded.
  static func bytes(of chunks: [Chunk]) -> Double {
    var bits = 0.0
    for signal in Set(chunks.map(\.stream.signal)) {
      let own = chunks.filter { $0.stream.signal == signal }.map { CodecColumns($0) }
      let axisCount = own[0].axes.count
      for axis in 0..<axisCount {
        let columns = own.map { $0.axes[axis] }
        bits += (0...3).map { bitsLeft(columns, order: $0) }.min() ?? 0
      }
      // Each packet has one arrival time. The sample numbers are consecutive, so they need no
      // bytes.
      let packets = own.map { columns in
        let times = columns.time[1]
        return times.indices.filter { $0 == 0 || times[$0] != times[$0 - 1] }.map { times[$0] }
      }
      bits += entropyBits(packets.flatMap(deviationsFromRhythm))
    }
    return bits / 8
  }

  private static func bitsLeft(_ columns: [[Int64]], order: Int) -> Double {
    entropyBits(
      columns.flatMap { column in
        var rest = column
        for _ in 0..<order { rest = zip(rest.dropFirst(), rest).map { $0 - $1 } }
        return rest
      })
  }

  private static func deviationsFromRhythm(_ times: [Int64]) -> [Int64] {
    guard let first = times.first, let last = times.last, times.count > 1 else { return [] }
    let step = Double(last - first) / Double(times.count - 1)
    return times.indices.map { times[$0] - first - Int64((Double($0) * step).rounded()) }
  }

  private static func entropyBits(_ values: [Int64]) -> Double {
    var counts: [Int64: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let total = Double(values.count)
    return counts.values.reduce(0) { $0 - Double($1) * log2(Double($1) / total) }
  }
}
