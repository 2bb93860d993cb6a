internal import Values

/// Determines between which packets a known number of samples was lost.
///
/// Packets arrive late, never early. Lost samples permanently delay all later packets relative to
/// their numbers. Therefore, the smallest lateness among a packet and all later packets limits how
/// many samples can be missing before that packet. Each loss is placed as early as this limit
/// permits.
struct LossPlaces: Sendable {
  struct Packet: Hashable, Sendable {
    /// Number of the last sample in the packet.
    var number: UInt32
    var arrival: BootTime
    var samples = 1
  }

  /// The number of samples lost before a packet.
  struct Place: Hashable, Sendable {
    /// Index of the packet that follows the loss. For a loss after the last packet, the number of
    /// packets.
    var position: Int
    var samples: UInt32
  }

  static let mostInPacket = 3
  /// Nanoseconds by which the line of the earliest arrivals may be too late.
  private static let slack = 1.5e6
  /// Fraction by which a loss may exceed the loss that timing shows.
  private static let looseness = 0.03

  /// The packets before which samples were lost, in order.
  private(set) var places: [Place] = []

  /// Distributes `missing` lost samples among the intervals between the packets.
  ///
  /// - Parameters:
  ///   - lateness: nanoseconds by which each packet is later than the least late packets before it.
  ///   - pauses: nanoseconds that passed before each packet, and after the last packet.
  ///   - period: nanoseconds from one sample to the next.
  ///   - isEnd: whether the board takes no more samples, so that its last packets may be missing.
  init(
    _ missing: UInt32, among packets: [Packet], lateness: [Double], pauses: [Double],
    period: Double, isEnd: Bool
  ) {
    let inThrees = packets.count { $0.samples.isMultiple(of: Self.mostInPacket) } * 2
    let unit =
      missing.isMultiple(of: UInt32(Self.mostInPacket)) && inThrees > packets.count
      ? UInt32(Self.mostInPacket) : 1
    var left = missing
    // For each packet, the smallest lateness among it and all later packets.
    var least = lateness
    for position in least.indices.dropLast().reversed() {
      least[position] = min(least[position], least[position + 1])
    }
    var placed: UInt32 = 0
    for position in packets.indices where left > 0 {
      let units = ((least[position] + Self.slack) / (Double(unit) * period)).rounded(.down)
      let allowed = UInt32(min(max(units, 0), Double(missing))) * unit
      guard allowed > placed else { continue }
      let samples = min(allowed - placed, left)
      places.append(Place(position: position, samples: samples))
      placed += samples
      left -= samples
    }
    joinOutage(unit: unit)
    guard left > 0 else { return }
    let trailing = (pauses.last ?? 0) / period
    let largest = places.indices.max { places[$0].samples < places[$1].samples }
    if !isEnd, let largest,
      Double(left) <= max(Double(places[largest].samples) * Self.looseness, Double(unit))
    {
      places[largest].samples += left
    } else if isEnd || packets.isEmpty || trailing >= Double(left) / 2 {
      places.append(Place(position: packets.count, samples: left))
    } else if let position = packets.indices.max(by: { pauses[$0] < pauses[$1] }) {
      if let same = places.firstIndex(where: { $0.position == position }) {
        places[same].samples += left
      } else {
        places.append(Place(position: position, samples: left))
        places.sort { $0.position < $1.position }
      }
    }
  }

  /// Moves losses that seem to have occurred shortly before an outage into the outage. If the
  /// link's connection interval hides when a packet was ready, both locations are possible. The
  /// outage is the safer location: sample numbers that are too high pull the clock's line down, but
  /// numbers that are too low do not affect it.
  private mutating func joinOutage(unit: UInt32) {
    guard let largest = places.indices.max(by: { places[$0].samples < places[$1].samples })
    else { return }
    let few = max(Double(places[largest].samples) * Self.looseness, Double(unit))
    let before = places[..<largest].reduce(0) { $0 + $1.samples }
    guard before > 0, Double(before) <= few, places[largest].samples > 10 * unit else { return }
    places[largest].samples += before
    places.removeSubrange(..<largest)
  }
}
