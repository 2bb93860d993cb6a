internal import Values

/// Locates a known number of lost samples between the packets.
///
/// A packet arrives late, never early. Lost samples permanently delay all later packets, by their
/// own numbers. So the least late packet from a packet on limits the number of samples missing
/// before that packet. Each loss is placed as early as this limit permits.
struct LossPlaces: Sendable {
  /// A packet that arrived.
  struct Packet: Hashable, Sendable {
    /// Number of its last sample.
    var number: UInt32
    var arrival: BootTime
    var samples = 1
  }

  /// Samples lost before a packet.
  struct Place: Hashable, Sendable {
    /// Position of the packet; the number of packets for a loss after the last one.
    var position: Int
    var samples: UInt32
  }

  /// The most samples in a packet.
  static let mostInPacket = 3
  /// Nanoseconds by which the line of the earliest arrivals may be wrong.
  private static let slack = 1.5e6
  /// Part by which a loss may exceed the step that timing shows.
  private static let looseness = 0.03

  /// The places, in order.
  private(set) var places: [Place] = []

  /// Places `missing` samples.
  ///
  /// - Parameters:
  ///   - lateness: nanoseconds by which each packet is later than the least late ones before.
  ///   - pauses: nanoseconds before each packet, and after the last one.
  ///   - period: nanoseconds from one sample to the next.
  ///   - isEnd: whether the board takes no more samples, so that the last packets may be missing.
  init(
    _ missing: UInt32, among packets: [Packet], lateness: [Double], pauses: [Double],
    period: Double, isEnd: Bool
  ) {
    let inThrees = packets.count { $0.samples.isMultiple(of: Self.mostInPacket) } * 2
    let unit =
      missing.isMultiple(of: UInt32(Self.mostInPacket)) && inThrees > packets.count
      ? UInt32(Self.mostInPacket) : 1
    var left = missing
    // The least lateness from each packet on.
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

  /// Moves a few packets that seem lost just before an outage into the outage. If the link's turns
  /// hide the time of a packet, both places are possible. Numbers that are too high pull the clock
  /// line down, and numbers that are too low do not.
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
