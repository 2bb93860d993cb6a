internal import Values

/// The outages just before an interruption, in a stream whose packets carry no number.
extension Chunk {
  /// Seconds, and packet periods, of the shortest detectable outage. Links hold packets back for
  /// less.
  private static let leastSeconds = 0.15
  private static let leastPeriods = 6.0
  /// Packets before an outage, of which the least late one counts.
  private static let packetsBefore = 16
  /// The part of a packet that counts as a lost packet.
  private static let threshold = 0.75

  /// This chunk, the last of its stream, with the samples that outages took after the last report
  /// of the board's count.
  ///
  /// Packets come late and never early. If all packets from one on are later than the packets
  /// before it, samples are missing before it: no report and no packet can follow any more.
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
    // The line begins with the first sample.
    guard row == 0 else { return }
    clock.first.nanoseconds &+= Int64(min(Double(samples) * clock.period, 1e18))
  }

  /// The packets of its samples: samples with the same arrival.
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
