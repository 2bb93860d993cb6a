internal import Recording
internal import Values

extension Gap {
  /// Size in bytes of a gap record in a chunk.
  static let recordSize = 26

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: start.nanoseconds)
    bytes.append(littleEndian: end.nanoseconds)
    bytes.append(littleEndian: lost)
    bytes.append(isEstimate ? 1 : 0)
    bytes.append(reason.rawValue)
  }

  /// Reads the next record; `nil` if its content is not a valid gap.
  init?(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) {
    let start = try cursor.next(Int64.self, in: bytes)
    let end = try cursor.next(Int64.self, in: bytes)
    let lost = try cursor.next(UInt64.self, in: bytes)
    let isEstimate = try cursor.next(UInt8.self, in: bytes)
    let reason = LossReason(rawValue: try cursor.next(UInt8.self, in: bytes))
    guard let reason, isEstimate <= 1 else { return nil }
    self.init(
      start: BootTime(nanoseconds: start), end: BootTime(nanoseconds: end), lost: lost,
      isEstimate: isEstimate == 1, reason: reason)
  }
}

extension Gap {
  /// `name` identifies the section in errors.
  static func gaps(in bytes: Span<UInt8>, name: ChunkError.Section) throws(ChunkError) -> [Gap] {
    guard bytes.count.isMultiple(of: recordSize),
      bytes.count / recordSize <= ChunkLayout.maximumCount
    else { throw .contradiction(name) }
    var gaps: [Gap] = []
    gaps.reserveCapacity(bytes.count / recordSize)
    var cursor = ByteCursor()
    while cursor.offset < bytes.count {
      guard let gap = try? Gap(&cursor, in: bytes) else { throw .contradiction(name) }
      gaps.append(gap)
    }
    return gaps
  }
}

extension Fix {
  /// Flags that show which values of a fix are known. An unknown value is stored as zero bytes, so
  /// only its flag distinguishes it from a real zero.
  enum Flag {
    static let altitudeMSL: UInt8 = 1
    static let geoidSeparation: UInt8 = 2
    static let speed: UInt8 = 4
    static let track: UInt8 = 8
    static let hdop: UInt8 = 16
    static let satellites: UInt8 = 32
    static let threeDimensional: UInt8 = 64
    static let all: UInt8 = 127
  }

  /// Appends the fix in the format of a tail record.
  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: arrival.nanoseconds)
    bytes.append(littleEndian: utc.nanoseconds)
    for value in [
      latitude, longitude, altitudeMSL ?? 0, geoidSeparation ?? 0, speed ?? 0, track ?? 0,
      hdop ?? 0,
    ] {
      bytes.append(littleEndian: value)
    }
    bytes.append(flags)
    bytes.append(satellites ?? 0)
    bytes.append(quality.rawValue)
    bytes.append((error?.basis.rawValue ?? 0) | (followsLoss ? Self.followsLossBit : 0))
    bytes.append(littleEndian: error?.horizontal ?? 0)
    bytes.append(littleEndian: error?.vertical ?? .nan)
  }

  private static let followsLossBit: UInt8 = 128

  /// Reads the next tail record; `nil` if its content is not a valid fix.
  init?(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) {
    let arrival = try cursor.next(Int64.self, in: bytes)
    let utc = try cursor.next(Int64.self, in: bytes)
    let latitude = try cursor.nextDouble(in: bytes)
    let longitude = try cursor.nextDouble(in: bytes)
    let altitudeMSL = try cursor.nextDouble(in: bytes)
    let geoidSeparation = try cursor.nextDouble(in: bytes)
    let speed = try cursor.nextDouble(in: bytes)
    let track = try cursor.nextDouble(in: bytes)
    let hdop = try cursor.nextDouble(in: bytes)
    let flags = try cursor.next(UInt8.self, in: bytes)
    let satellites = try cursor.next(UInt8.self, in: bytes)
    let quality = Quality(rawValue: try cursor.next(UInt8.self, in: bytes))
    let details = try cursor.next(UInt8.self, in: bytes)
    let horizontal = try cursor.nextDouble(in: bytes)
    let vertical = try cursor.nextDouble(in: bytes)
    guard let quality, flags & ~Flag.all == 0 else { return nil }
    var error: ErrorEstimate?
    let code = details & ~Self.followsLossBit
    if code > 0 {
      guard let basis = ErrorEstimate.Basis(rawValue: code) else { return nil }
      error = ErrorEstimate(
        horizontal: horizontal, vertical: vertical.isNaN ? nil : vertical, basis: basis)
    }
    self.init(
      arrival: BootTime(nanoseconds: arrival), utc: UTCTime(nanoseconds: utc),
      latitude: latitude, longitude: longitude,
      altitudeMSL: flags & Flag.altitudeMSL != 0 ? altitudeMSL : nil,
      geoidSeparation: flags & Flag.geoidSeparation != 0 ? geoidSeparation : nil,
      speed: flags & Flag.speed != 0 ? speed : nil,
      track: flags & Flag.track != 0 ? track : nil,
      hdop: flags & Flag.hdop != 0 ? hdop : nil,
      satellites: flags & Flag.satellites != 0 ? satellites : nil,
      isThreeDimensional: flags & Flag.threeDimensional != 0, quality: quality, error: error,
      followsLoss: details & Self.followsLossBit != 0)
  }
}
