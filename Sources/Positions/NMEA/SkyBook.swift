internal import Recording
internal import Values

/// Stores the satellites that a receiver last reported, in a table of fixed size.
///
/// A receiver may report only one constellation per second, and may report several signals from one
/// satellite. The first sentence for a constellation in a cycle starts a new report on that
/// constellation.
struct SkyBook: Sendable {
  private struct Entry: Sendable {
    var system = Satellite.System.unknown
    /// Sequence number of the constellation's last report that listed the satellite.
    var telling: UInt8 = 0
    var signal: UInt8 = 0
    var elevation: Int8 = .min
    var number: Int16 = 0
    var azimuth: Int16 = -1
  }

  /// Maximum number of satellites in the table. No receiver sees this many: even 45 satellites from
  /// four constellations are unusual.
  private static let capacity = 128
  /// Seconds since a constellation's last report after which its satellites are no longer listed.
  static let longestSilence = 15.0

  private var entries = InlineArray<128, Entry>(repeating: Entry())
  private var count = 0
  /// Number of reports received for each constellation, modulo 256. `cycles` and `arrivals` contain
  /// the cycle and the arrival time of each constellation's last report.
  private var tellings = InlineArray<8, UInt8>(repeating: 0)
  private var cycles = InlineArray<8, UInt8>(repeating: .max)
  private var arrivals = InlineArray<8, BootTime>(repeating: BootTime(nanoseconds: .min))
  /// Satellites that the receiver uses in its solution. Each value combines the constellation and
  /// the satellite's number.
  private var used = InlineArray<96, UInt16>(repeating: 0)
  private var usedCount = 0
  private var usedCycle: UInt8 = 0
  private var latest: BootTime?

  /// Records the satellites listed in a GSV sentence. `cycle` is the number of the sentence's
  /// cycle.
  mutating func take(_ gsv: ParsedSentence.GSV, _ sentence: borrowing Sentence, cycle: UInt8) {
    let system = Satellite.System(talkerOf: sentence)
    let place = Int(system.rawValue)
    if cycles[place] != cycle || latest == nil {
      cycles[place] = cycle
      tellings[place] &+= 1
      forget(system, before: tellings[place])
    }
    arrivals[place] = sentence.arrival
    latest = sentence.arrival
    var field = 4
    while field + 3 < sentence.fieldCount {
      if let number = sentence.unsigned(field), let number = Int16(exactly: number) {
        note(system, number, sentence, field)
      }
      field += 4
    }
  }

  /// Records which satellites the receiver uses in its solution, as listed in a GSA sentence.
  mutating func take(_ gsa: ParsedSentence.GSA, _ sentence: borrowing Sentence, cycle: UInt8) {
    if usedCycle != cycle { usedCount = 0 }
    usedCycle = cycle
    latest = sentence.arrival
    for field in ParsedSentence.GSA.list(of: sentence) {
      guard let number = sentence.unsigned(field), number < 4_096, usedCount < 96 else { continue }
      used[usedCount] = UInt16(gsa.system.rawValue) << 12 | UInt16(number)
      usedCount += 1
    }
  }

  /// The satellites in view, except those of constellations that were last reported too long ago.
  var sky: Sky {
    guard let latest else { return Sky() }
    var satellites: [Satellite] = []
    for position in 0..<count {
      let entry = entries[position]
      let arrival = arrivals[Int(entry.system.rawValue)]
      guard arrival >= latest.advanced(bySeconds: -Self.longestSilence) else { continue }
      satellites.append(
        Satellite(
          system: entry.system, number: Int(entry.number),
          elevation: entry.elevation == .min ? nil : Int(entry.elevation),
          azimuth: entry.azimuth < 0 ? nil : Int(entry.azimuth),
          signal: entry.signal == 0 ? nil : Int(entry.signal), isUsed: isUsed(entry)))
    }
    return Sky(arrival: latest, satellites: satellites)
  }

  private func isUsed(_ entry: Entry) -> Bool {
    for position in 0..<usedCount {
      let system = UInt8(used[position] >> 12)
      // A sentence from a talker that combines several constellations does not always state the
      // listed satellites' constellation.
      guard used[position] & 0xfff == UInt16(bitPattern: entry.number) else { continue }
      if system == entry.system.rawValue || system == 0 || entry.system == .unknown { return true }
    }
    return false
  }

  private mutating func note(
    _ system: Satellite.System, _ number: Int16, _ sentence: borrowing Sentence, _ field: Int
  ) {
    var position = 0
    while position < count,
      entries[position].number != number || entries[position].system != system
    {
      position += 1
    }
    guard position < Self.capacity else { return }
    let telling = tellings[Int(system.rawValue)]
    if position == count {
      count += 1
      entries[position] = Entry(system: system, telling: telling, number: number)
    } else if entries[position].telling != telling {
      entries[position].telling = telling
      entries[position].signal = 0
    }
    if let elevation = Self.elevation(sentence, field + 1) {
      entries[position].elevation = elevation
    }
    if let azimuth = sentence.unsigned(field + 2), azimuth <= 360 {
      entries[position].azimuth = Int16(azimuth % 360)
    }
    if let signal = sentence.unsigned(field + 3), signal < 100 {
      entries[position].signal = max(entries[position].signal, UInt8(signal))
    }
  }

  private static func elevation(_ sentence: borrowing Sentence, _ field: Int) -> Int8? {
    // Nearly all elevations are whole numbers, which are faster to parse.
    if let whole = sentence.unsigned(field) { return whole <= 90 ? Int8(whole) : nil }
    return sentence.decimal(field, in: -90...90).map { Int8($0) }
  }

  /// Removes a constellation's satellites unless its previous report listed them. `telling` is the
  /// number of the report that is starting.
  private mutating func forget(_ system: Satellite.System, before telling: UInt8) {
    var kept = 0
    for position in 0..<count {
      let entry = entries[position]
      if entry.system == system, entry.telling != telling &- 1 { continue }
      entries[kept] = entry
      kept += 1
    }
    count = kept
  }
}

extension Satellite.System {
  /// Determines the constellation from a sentence's talker. The result is `unknown` for any other
  /// talker, such as one that combines several constellations.
  init(talkerOf sentence: borrowing Sentence) {
    switch sentence.word(0) >> 24 {
    case 0x4750: self = .gps  // GP
    case 0x474c: self = .glonass  // GL
    case 0x4741: self = .galileo  // GA
    case 0x4742, 0x4244: self = .beidou  // GB, BD
    case 0x4751, 0x515a: self = .qzss  // GQ, QZ
    case 0x4749: self = .navic  // GI
    default: self = .unknown
    }
  }
}
