package import MetaWearProtocol
package import Recording
package import RingBuffer
package import Values

/// Sorts one board's packets: samples go into the ring to the recorder.
///
/// It uses neither sockets nor clocks, so the reader's work on each packet can be measured by
/// itself.
package struct PacketSorter {
  /// The kind of packet found.
  package enum Finding {
    /// Samples of a stream; samples that found no room in the ring are counted.
    case samples
    /// An unreadable packet of a stream; it is reported to the ring.
    case malformed
    /// Not a packet of any stream.
    case other
  }

  private var routes: [StreamRoute]
  /// Number of streams, including those without a route.
  private let streamCount: Int
  /// The processor that counts each stream's samples on the board.
  private let counters: [UInt8?]

  /// Sorts the packets of a board's streams. A reading names its stream by the position here; a
  /// missing decoder takes a position too. `counters` are the processors that count on the board.
  package init(board: UInt16, streams: [StreamDecoder?], counters: [UInt8?] = []) {
    streamCount = streams.count
    self.counters = streams.indices.map { $0 < counters.count ? counters[$0] : nil }
    routes = streams.enumerated().compactMap { position, decoder in
      decoder.map { StreamRoute(board: board, stream: UInt8(position), decoder: $0) }
    }
  }

  /// Takes over the former sorter's pending reports to the ring.
  ///
  /// The streams of a board are the same for a whole session, so every pending report finds its
  /// stream.
  mutating func takeOver(from former: PacketSorter) {
    for index in routes.indices {
      let stream = routes[index].stream
      guard let old = former.routes.first(where: { $0.stream == stream }) else { continue }
      routes[index].takeOver(from: old)
    }
  }

  /// Pushes the samples of a packet, if it holds any.
  package mutating func sort(
    _ packet: Span<UInt8>, arrival: BootTime, into ring: inout RingProducer<Reading>
  ) -> Finding {
    // One access for all routes: each single access to the array would check for sharing.
    var routes = routes.mutableSpan
    for index in routes.indices where routes[index].decoder.claims(packet) {
      let isRead = routes[index].push(packet, arrival: arrival, into: &ring)
      return isRead ? .samples : .malformed
    }
    return .other
  }

  /// Pushes the board's own count of a stream's samples, if a packet that is not a sample holds
  /// one. Separate from `sort`, where it would cost each packet of samples 15 instructions.
  package mutating func sortTally(
    _ packet: Span<UInt8>, arrival: BootTime, into ring: inout RingProducer<Reading>
  ) -> Bool {
    guard let (counter, count) = DataProcessor.count(in: packet),
      let index = routes.firstIndex(where: { counters[Int($0.stream)] == counter })
    else { return false }
    routes[index].pushTally(count, at: arrival, into: &ring)
    return true
  }

  /// Whether no stream has a route.
  var isEmpty: Bool { routes.isEmpty }

  /// Packets of each stream so far, except unreadable ones.
  var packets: [UInt64] {
    var packets = [UInt64](repeating: 0, count: streamCount)
    for route in routes { packets[Int(route.stream)] = route.packets }
    return packets
  }

  /// Reports to the ring that the board's counters start again, and its own counts from before.
  mutating func restart(
    _ kind: Reading.Kind, _ counts: [UInt32?], at time: BootTime,
    _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices {
      let stream = Int(routes[index].stream)
      if stream < counts.count, let count = counts[stream] {
        routes[index].pushTally(count, ofEarlierLink: true, at: time, into: &ring)
      }
      routes[index].push(kind, at: time, into: &ring)
    }
  }

  /// Reports to the ring that the counters of these streams start again.
  mutating func restart(
    _ streams: [Int], at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices where streams.contains(Int(routes[index].stream)) {
      routes[index].push(.restarted, at: time, into: &ring)
    }
  }

  /// Reports to the ring that the board is there but sends nothing of these streams.
  mutating func silence(
    _ streams: [Int], at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices where streams.contains(Int(routes[index].stream)) {
      routes[index].pushSilence(at: time, into: &ring)
    }
  }

  /// Reports to the ring that the board's link dropped.
  mutating func leave(at time: BootTime, _ ring: inout RingProducer<Reading>) {
    for index in routes.indices { routes[index].pushLinkLost(at: time, into: &ring) }
  }

  /// Pushes the reports that found no room in the ring; `true` when none remains.
  mutating func settle(at time: BootTime, _ ring: inout RingProducer<Reading>) -> Bool {
    var isSettled = true
    for index in routes.indices {
      isSettled = routes[index].settle(at: time, into: &ring) && isSettled
    }
    return isSettled
  }
}
