internal import Terminal
internal import Values

/// Formats benchmark results as tables or as JSON.
struct BenchReport {
  let machine: Machine
  var measurements: [(benchmark: Benchmark, measurement: Measurement)] = []

  /// One table per benchmark.
  var lines: [String] {
    var lines = [
      "processor \(machine.processor), \(machine.cores) cores; commit \(machine.commit)"
    ]
    for (benchmark, measurement) in measurements {
      let effort = measurement.effort
      lines += [
        "",
        "\(benchmark.name): \(benchmark.summary)",
        "\(effort.repeats) rounds of \(effort.count) \(benchmark.unit)s per side",
        "",
      ]
      lines += table(of: measurement, unit: benchmark.unit)
      lines += measurement.results.filter { $0.failedTries > 0 }
        .map { "\($0.name) lost packets in \($0.failedTries) more attempts, which are not counted" }
      lines += measurement.absences.map { "\($0.name) was not measured: \($0.reason)" }
    }
    return lines
  }

  private func table(of measurement: Measurement, unit: String) -> [String] {
    let isAboutSize = measurement.results.contains { $0.bytesPerUnit != nil }
    var table = TextTable(
      [
        .init("side"), .init("ns/\(unit): min", .right), .init("median", .right),
        .init("p99", .right), .init("M samples/s", .right), .init("times as fast as", .right),
      ] + (isAboutSize ? [.init("bytes/\(unit)", .right)] : []))
    for side in measurement.results {
      let ratios = side.ratios.map { ratio in
        let median = ratio.figures.median
        return NumberText.fixed(median, decimals: median < 10 ? 2 : 1) + " \(ratio.baseline)"
      }
      let bytes = side.bytesPerUnit.map { NumberText.fixed($0, decimals: 3) }
      table.append(
        [
          side.name,
          NumberText.fixed(side.nanoseconds.minimum, decimals: 2),
          NumberText.fixed(side.nanoseconds.median, decimals: 2),
          NumberText.fixed(side.nanoseconds.percentile99, decimals: 2),
          NumberText.fixed(side.samplesPerSecond / 1e6, decimals: 1),
          ratios.joined(separator: ", "),
        ] + (isAboutSize ? [bytes ?? ""] : []))
    }
    return table.lines
  }

  /// A JSON object with the minimum, median and 99th percentile of each side's times and of each
  /// side's speed relative to other sides.
  var json: JSONValue {
    [
      "processor": machine.processor.json, "cores": machine.cores.json,
      "commit": machine.commit.json,
      "benchmarks": .array(measurements.map { json(of: $0.benchmark, $0.measurement) }),
    ]
  }

  private func json(of benchmark: Benchmark, _ measurement: Measurement) -> JSONValue {
    [
      "name": benchmark.name.json, "unit": benchmark.unit.json,
      "repeats": measurement.effort.repeats.json, "count": measurement.effort.count.json,
      "sides": .array(
        measurement.results.map { side in
          [
            "name": side.name.json, "samplesPerUnit": side.samplesPerUnit.json,
            "nanosecondsPerUnit": json(of: side.nanoseconds), "failedTries": side.failedTries.json,
            "bytesPerUnit": side.bytesPerUnit.json, "samplesPerSecond": side.samplesPerSecond.json,
            "ratios": .array(
              side.ratios.map { ratio in
                ["baseline": ratio.baseline.json, "ratio": json(of: ratio.figures)]
              }),
          ]
        }),
      "absent": .array(
        measurement.absences.map { ["name": $0.name.json, "reason": $0.reason.json] }),
    ]
  }

  private func json(of figures: Figures) -> JSONValue {
    [
      "minimum": figures.minimum.json, "median": figures.median.json,
      "percentile99": figures.percentile99.json,
    ]
  }
}
