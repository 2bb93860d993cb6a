internal import BlueZ
internal import Values

/// Detects a faulty adapter from the state of the boards linked through it. The caller supplies the
/// time.
struct AdapterWatch: Hashable, Sendable {
  /// A sign that the adapter is faulty, and the boards that show this sign.
  enum Sign: Hashable, Sendable {
    /// Boards are linked, but none of them sends samples or responds to requests.
    case silent([BoardAddress])
    /// Boards are heard but cannot be connected.
    case refusing([BoardAddress])
    /// The adapter scans, but hears no devices at all.
    case deaf
    /// The adapter cannot be switched on.
    case stuck
  }

  /// Seconds to wait for the first sample on a link. Setting up a board takes up to five seconds.
  static let setupSeconds = 15.0
  /// Number of consecutive links without a sample after which the adapter is considered silent.
  static let fruitlessLinks = 3
  /// Seconds of scanning without hearing any device before an adapter is considered deaf. In most
  /// places, some Bluetooth device is in range.
  static let deafSeconds = 90.0

  /// The last sign of a fault, or `nil` once the adapter works again.
  private(set) var sign: Sign?
  private var searchingSince: BootTime?
  /// The time of the newest link, and the number of links since the last sample.
  private var linkedSince: Double?
  private var links = 0

  /// Looks for a sign of a fault. Considers the adapter's current condition, the age of each
  /// board's last sample, and whether each board responded to its last request.
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
    // A board that responds has a working link, so its sensors are the cause of the missing
    // samples.
    if adapter.linked.contains(where: isAnswering) {
      sign = nil
      return .unclear
    }
    // A recovery step is already in progress, or a step would close another program's links.
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
      // Boards that have never sent samples may still be waiting for the recording's other boards.
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
