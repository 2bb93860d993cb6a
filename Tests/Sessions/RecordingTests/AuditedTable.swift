import Recording
import TestSupport

/// A table in MetaBase's format, and the faults that a test adds to it.
struct AuditedTable {
  var sensor = "Accelerometer"
  var unit = "g"
  /// The rate stated in the name of the file, in hertz.
  var rate = 100.0
  var board = "F1E55E2FE95F"
  /// Milliseconds since 1970 for each row.
  var times: [Int]
  /// The axis values of each row.
  var values: [[Double]]
  var separator = ","
  var decimalPoint = "."
  var lineEnd = "\n"

  /// Creates a table of noise whose times are computed from the row numbers.
  init(rows: Int, rate: Double = 100, start: Int = 1_700_000_000_000, seed: UInt64 = 1) {
    var generator = SeededGenerator(seed: seed)
    self.rate = rate
    times = (0..<rows).map { start + Int((Double($0) * 1_000 / rate).rounded()) }
    values = (0..<rows).map { _ in (0..<3).map { _ in 0.4 * generator.gaussian() } }
  }

  var path: String {
    "walk_MetaWear_2023-11-14T22.13.19.900_\(board)_\(sensor)_\(rate)00Hz_1.5.0.csv"
  }

  /// The file as MetaBase writes it. The local time is one hour ahead of UTC.
  var text: String {
    let columns =
      ["epoch (ms)", "time (+01:00)", "elapsed (s)"]
      + ["x", "y", "z"].map { "\($0)-axis (\(unit))" }
    var text = columns.joined(separator: separator) + lineEnd
    for (time, values) in zip(times, values) {
      let elapsed = decimal(Double(time - (times.first ?? 0)) / 1_000)
      let milliseconds = String(1_000 + time % 1_000).dropFirst()
      let seconds = time / 1_000 + 3_600
      let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map {
        String(String(100 + $0).dropFirst())
      }
      let stamp = "2023-11-14T" + clock.joined(separator: ":") + ".\(milliseconds)"
      let fields = [String(time), stamp, elapsed] + values.map { decimal($0) }
      text += fields.joined(separator: separator) + lineEnd
    }
    return text
  }

  private func decimal(_ value: Double) -> String {
    let thousandths = Int((value * 1_000).rounded())
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
    return (thousandths < 0 ? "-" : "") + "\(whole)\(decimalPoint)"
      + String(1_000 + rest).dropFirst()
  }

  mutating func remove(_ rows: Range<Int>, keepsTimes: Bool = true) {
    values.removeSubrange(rows)
    if keepsTimes { times.removeSubrange(rows) } else { times.removeLast(rows.count) }
  }

  var judged: AuditedFile { Self.judge(text, path) }

  /// Judges a file that arrives in pieces of this many bytes.
  static func judge(_ text: String, _ path: String = "table.csv", by size: Int = 1 << 16)
    -> AuditedFile
  {
    var file = AuditedFile(path: path)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      file.take(bytes[start..<min(start + size, bytes.count)])
    }
    file.finish()
    return file
  }
}

extension AuditedRecording {
  var faults: Set<AuditFinding.Kind> { Set(findings.map(\.kind).filter(\.isFault)) }
}
