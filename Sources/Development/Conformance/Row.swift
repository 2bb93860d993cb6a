internal import Values

/// One sample as named fields.
struct Row {
  var fields: [String: JSON]

  init(_ fields: [String: JSON]) { self.fields = fields }

  /// Pairs each name with the value at the same index.
  init(_ names: [String], _ values: [Double]) {
    fields = Dictionary(uniqueKeysWithValues: zip(names, values.map { .number($0) }))
  }

  static func compare(_ rows: [Row], with vector: MetaWearVector) throws(Objection) {
    try compare(rows, with: vector, samples: vector.expected?.list ?? [])
  }

  static func compare(
    _ rows: [Row], with vector: MetaWearVector, samples: [JSON]
  ) throws(Objection) {
    let names = vector.json["fields"]?.list?.compactMap(\.text) ?? []
    guard rows.count == samples.count else {
      throw .failed("\(rows.count) samples, expected \(samples.count)")
    }
    for (row, sample) in zip(rows, samples) {
      let found = names.map { row.fields[$0] ?? .null }
      let expected = sample.list ?? []
      guard found.count == expected.count,
        zip(found, expected).allSatisfy({ agree($0, $1, vector.tolerance) })
      else { throw .failed("expected \(expected), got \(found)") }
    }
  }

  /// A Boolean may be written as a number.
  private static func agree(_ found: JSON, _ expected: JSON, _ tolerance: Double) -> Bool {
    switch (found, expected) {
    case (.number(let value), .number(let other)): abs(value - other) <= tolerance
    case (.bool(let value), .number(let other)): (value ? 1 : 0) == other
    default: found == expected
    }
  }
}
