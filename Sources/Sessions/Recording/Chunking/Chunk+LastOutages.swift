internal import Values

/// Detects outages shortly before an interruption, in a stream whose packets are not numbered.
extension Chunk {
  /// Minimum length in seconds of a detectable outage. Links often delay packets by less.
  private static let leastSeconds = 0.15
  /// Minimum length of a detectable outage, in packet periods.
  private static let leastPeriods = 6.0
  /// Number of packets before an outage among which to search for the least late one.
  private static let packetsBefore = 16
  /// Increase in lateness that is treated as a lost packet, as a fraction of a packet's period.
  private static let threshold = 0.75

  /// Returns this chunk, the last of its stream, with additional gaps for samples that were lost in
  /// outages after the board last reported its count.
  ///
  /// Packets arrive late, never early. If all packets after some point are later than all packets
  /// before it, samples are missing at that point. No further evidence is possible, since no report
  /// or packet will follow.
  public func countingLastOutages(after former: Chunk?) -> Chunk {
    guard ending == nil, clock.period > 0,
      stream.isTallied || stream.lossAccounting == .estimated
    else { return self }
    let packets = (former?.packets ?? []) + packets
    let lateness = packets.map { packet in
      Double(packet.arrival.nanoseconds &- packets[0].arrival.nanoseconds)
        - Double(Int32(bitPattern: packet.number &- packets[0].number)) * clock.period
    }
    var least = lateness
    for place in least.indices.dropLast().reversed() {
      least[place] = min(least[place], least[place + 1])
    }
    let inThrees = packets.count { $0.samples.isMultiple(of: LossPlaces.mostInPacket) }
    let unit = 2 * inThrees > packets.count ? LossPlaces.mostInPacket : 1
    let unitPeriod = Double(unit) * clock.period
    let long = max(Self.leastSeconds * 1e9, Self.leastPeriods * unitPeriod)

    var chunk = self
    var begin = 0
    for place in packets.indices.dropFirst() {
      let (start, end) = (packets[place - 1].arrival, packets[place].arrival)
      guard Double(end.nanoseconds &- start.nanoseconds) >= long else { continue }
      let before = lateness[max(begin, place - Self.packetsBefore)..<place].min() ?? 0
      begin = place
      let height = least[place] - before
      let units = (height / unitPeriod + 1 - Self.threshold).rounded(.down)
      guard height >= long, units * Double(unit) < Double(Int32.max) else { continue }
      chunk.raise(by: UInt32(units) * UInt32(unit), from: end)
      chunk.gaps.append(
        Gap(
          start: start, end: end, lost: UInt64(units) * UInt64(unit), isEstimate: true,
          reason: .link))
    }
    return chunk
  }

  private mutating func raise(by samples: UInt32, from arrival: BootTime) {
    guard let row = arrivals.firstIndex(where: { $0 >= arrival }) else { return }
    for later in row..<count { counters[later] &+= samples }
    // The clock starts at the first sample, so if that sample's number is raised, its time must
    // move too.
    guard row == 0 else { return }
    clock.first.nanoseconds &+= Int64(min(Double(samples) * clock.period, 1e18))
  }

  /// The chunk's packets, each reconstructed from the samples with the same arrival time.
  private var packets: [LossPlaces.Packet] {
    var packets: [LossPlaces.Packet] = []
    for (number, arrival) in zip(counters, arrivals) {
      if let last = packets.indices.last, packets[last].arrival == arrival {
        packets[last].number = number
        packets[last].samples += 1
      } else {
        packets.append(LossPlaces.Packet(number: number, arrival: arrival))
      }
    }
    return packets
  }
}
