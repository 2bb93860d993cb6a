internal import BlueZ
internal import Values

/// Judges an adapter by its boards. It is a value without a clock.
struct AdapterWatch: Hashable, Sendable {
  /// A sign that the adapter is the cause, and the boards that show it.
  enum Sign: Hashable, Sendable {
    /// Boards are linked, and none of them sends or answers anything.
    case silent([BoardAddress])
    /// Boards are heard but cannot be connected.
    case refusing([BoardAddress])
    /// It scans, but hears no device at all.
    case deaf
    /// It cannot be switched on.
    case stuck
  }

  /// Seconds that a link gets for its first sample: a board is set up within five.
  static let setupSeconds = 15.0
  /// Links without a sample after which further links are not waited for.
  static let fruitlessLinks = 3
  /// Seconds of scanning without any device after which an adapter counts as deaf. Few places have
  /// no Bluetooth device in range.
  static let deafSeconds = 90.0

  /// The last sign, until the adapter works again.
  private(set) var sign: Sign?
  private var searchingSince: BootTime?
  /// The time of the newest link, and the number of links since the last sample.
  private var linkedSince: Double?
  private var links = 0

  /// Takes the present condition, the age of each board's last sample, and whether each board
  /// answered its last request.
  mutating func judge(
    _ adapter: AdapterCondition, sampleAge: (BoardAddress) -> Double?,
    isAnswering: (BoardAddress) -> Bool = { _ in false }, at now: BootTime
  ) -> Ladder.Condition {
    let isFlowing = adapter.linked.contains {
      (sampleAge($0) ?? .infinity) < GatewayStatus.silentSeconds
    }
    if isFlowing {
      (sign, searchingSince, links) = (nil, nil, 0)
      return .well
    }
    // Answers use the same links as samples, so the boards' sensors are the cause.
    if adapter.linked.contains(where: isAnswering) {
      sign = nil
      return .unclear
    }
    // It is already being helped, or a step would end the links of another program.
    if adapter.isBusy || adapter.hasForeignLink { return .unclear }
    guard let present = present(adapter, sampleAge, at: now) else { return .unclear }
    sign = present
    return .sick
  }

  private mutating func present(
    _ adapter: AdapterCondition, _ sampleAge: (BoardAddress) -> Double?, at now: BootTime
  ) -> Sign? {
    if adapter.isStuck { return .stuck }
    guard adapter.isOn else { return nil }
    if let since = adapter.linkedSince {
      searchingSince = nil
      if since != linkedSince { links += 1 }
      linkedSince = since
      let isSetUp = Double(now.nanoseconds) / 1e9 >= since + Self.setupSeconds
      // Boards that have never sent may still wait for the other boards of the recording.
      let haveSent = adapter.linked.allSatisfy { sampleAge($0) != nil }
      return links >= Self.fruitlessLinks || (isSetUp && haveSent) ? .silent(adapter.linked) : nil
    }
    if !adapter.refused.isEmpty {
      searchingSince = nil
      return .refusing(adapter.refused)
    }
    guard adapter.isSearching else { return nil }
    let since = searchingSince ?? now
    searchingSince = since
    let heard = adapter.lastHeard.map { BootTime(nanoseconds: 0).advanced(bySeconds: $0) }
    let quiet = max(since, heard ?? since)
    searchingSince = quiet
    return now.seconds(since: quiet) >= Self.deafSeconds ? .deaf : nil
  }
}
