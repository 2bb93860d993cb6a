internal import Recording
internal import Values

/// The fixes that a stream must contain, and the fixes that it is allowed to contain.
struct FixExpectation {
  /// A field of a fix, with a function to read it.
  struct Field: Sendable {
    let name: String
    /// The maximum allowed difference, unless the vector file defines one.
    let tolerance: Double
    let value: @Sendable (Fix) -> Double?
  }

  static let place: [Field] = [
    Field(name: "lat", tolerance: 0.001) { $0.latitude },
    Field(name: "lon", tolerance: 0.001) { $0.longitude },
    Field(name: "mode", tolerance: 0) { $0.isThreeDimensional ? 3 : 2 },
    Field(name: "altMSL", tolerance: 0.001) { $0.altitudeMSL },
    Field(name: "geoidSep", tolerance: 0.001) { $0.geoidSeparation },
    Field(name: "speed", tolerance: 0.001) { $0.speed },
    Field(name: "track", tolerance: 0.001) { $0.track },
  ]
  static let sentenceFields =
    place + [
      Field(name: "satsUsed", tolerance: 0) { $0.satellites.map(Double.init) },
      Field(name: "quality", tolerance: 0) { Double($0.quality.rawValue) },
      Field(name: "hdop", tolerance: 0.05) { $0.hdop },
    ]
  static let daemonFields = place + [Field(name: "altHAE", tolerance: 0.001) { $0.altitudeHAE }]

  private let expected: [(time: UTCTime, json: JSON)]
  private let optional: [UTCTime]
  private let fields: [Field]
  private let tolerance: JSON
  private let timeTolerance: Int64

  init(_ json: JSON, fields: [Field]) throws(Objection) {
    self.fields = fields
    tolerance = json["tolerance"] ?? .object([:])
    timeTolerance = Int64((tolerance["timeMs"]?.number ?? 1) * 1e6)
    var expected: [(time: UTCTime, json: JSON)] = []
    for fix in json["fixes"]?.list ?? [] { expected.append((try Self.time(fix), fix)) }
    self.expected = expected
    var optional: [UTCTime] = []
    for epoch in json["optional"]?.list ?? [] { optional.append(try Self.time(epoch)) }
    self.optional = optional
  }

  private static func time(_ json: JSON) throws(Objection) -> UTCTime {
    guard let text = json["time"]?.text ?? json.text, let time = UTCTime(iso8601: text) else {
      throw .skipped("one of its epochs has no time")
    }
    return time
  }

  /// Checks that exactly the required fixes exist, in this order. Optional fixes may occur in
  /// between.
  func check(_ fixes: [Fix], piece: Int) throws(Objection) {
    let way = piece == .max ? "" : " in pieces of \(piece)"
    var next = 0
    for fix in fixes {
      let time = fix.utc.iso8601(decimals: 3)
      if next < expected.count, isSame(fix.utc, expected[next].time) {
        try compare(fix, with: expected[next].json, at: time + way)
        next += 1
      } else if !optional.contains(where: { isSame($0, fix.utc) }) {
        let wanted = next < expected.count ? expected[next].time.iso8601(decimals: 3) : "none"
        throw .failed("a fix at \(time)\(way), expected \(wanted)")
      }
    }
    guard next == expected.count else {
      let wanted = expected[next].time.iso8601(decimals: 3)
      throw .failed("no fix at \(wanted)\(way)")
    }
  }

  private func isSame(_ one: UTCTime, _ other: UTCTime) -> Bool {
    abs(one.nanoseconds - other.nanoseconds) <= timeTolerance
  }

  private func compare(_ fix: Fix, with json: JSON, at time: String) throws(Objection) {
    for field in fields {
      guard let wanted = json[field.name]?.number else { continue }
      guard let found = field.value(fix) else {
        throw .failed("\(time): no \(field.name), expected \(wanted)")
      }
      var distance = abs(found - wanted)
      if field.name == "track" || field.name == "lon" { distance = min(distance, 360 - distance) }
      let limit = tolerance[field.name]?.number ?? field.tolerance
      // Two decimal numbers that differ by exactly the tolerance may differ slightly more in
      // binary.
      guard distance <= limit * (1 + 1e-6) + 1e-12 else {
        throw .failed("\(time): \(field.name) is \(found), expected \(wanted)")
      }
    }
  }
}
