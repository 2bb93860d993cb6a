package import MetaWearProtocol
package import Recording
package import RingBuffer
package import Values

/// Sorts one board's packets and pushes their samples into the recorder's ring.
///
/// The sorter uses neither sockets nor clocks, so the reader's work per packet can be benchmarked
/// in isolation.
package struct PacketSorter {
  package enum Finding {
    /// The packet contained samples of a stream. They were pushed into the ring, or counted as lost
    /// if they did not fit.
    case samples
    /// The packet belonged to a stream but was unreadable. The ring carries a report of this.
    case malformed
    /// The packet did not belong to any stream.
    case other
  }

  private var routes: [StreamRoute]
  /// Number of streams, including those without a decoder.
  private let streamCount: Int
  /// For each stream, the id of the board's processor that counts the stream's samples, or `nil` if
  /// there is none.
  private let counters: [UInt8?]

  /// Creates a sorter for a board's streams. A reading identifies its stream by its index in
  /// `streams`, counting `nil` entries. `counters` contains the processors that count samples on
  /// the board.
  package init(board: UInt16, streams: [StreamDecoder?], counters: [UInt8?] = []) {
    streamCount = streams.count
    self.counters = streams.indices.map { $0 < counters.count ? counters[$0] : nil }
    routes = streams.enumerated().compactMap { position, decoder in
      decoder.map { StreamRoute(board: board, stream: UInt8(position), decoder: $0) }
    }
  }

  /// Takes over the reports that the previous sorter has not yet pushed into the ring.
  ///
  /// A board's streams stay the same for a whole session, so every pending report still refers to
  /// the correct stream.
  mutating func takeOver(from former: PacketSorter) {
    for index in routes.indices {
      let stream = routes[index].stream
      guard let old = former.routes.first(where: { $0.stream == stream }) else { continue }
      routes[index].takeOver(from: old)
    }
  }

  /// Pushes a packet's samples, if it contains any.
  package mutating func sort(
    _ packet: Span<UInt8>, arrival: BootTime, into ring: inout RingProducer<Reading>
  ) -> Finding {
    // A single access covers all routes, because every access to the array performs a uniqueness
    // check.
    var routes = routes.mutableSpan
    for index in routes.indices where routes[index].decoder.claims(packet) {
      let isRead = routes[index].push(packet, arrival: arrival, into: &ring)
      return isRead ? .samples : .malformed
    }
    return .other
  }

  /// Pushes the board's own count of a stream's samples, if the packet contains one. This is a
  /// separate method because checking for counts in `sort` would cost 15 more instructions per
  /// sample packet.
  package mutating func sortTally(
    _ packet: Span<UInt8>, arrival: BootTime, into ring: inout RingProducer<Reading>
  ) -> Bool {
    guard let (counter, count) = DataProcessor.count(in: packet),
      let index = routes.firstIndex(where: { counters[Int($0.stream)] == counter })
    else { return false }
    routes[index].pushTally(count, at: arrival, into: &ring)
    return true
  }

  var isEmpty: Bool { routes.isEmpty }

  /// Number of readable packets received for each stream.
  var packets: [UInt64] {
    var packets = [UInt64](repeating: 0, count: streamCount)
    for route in routes { packets[Int(route.stream)] = route.packets }
    return packets
  }

  /// Reports through the ring that the board's counters restarted. The report includes the board's
  /// own sample counts from before the restart.
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

  /// Reports through the ring that these streams' sensors were restarted.
  mutating func restart(
    _ streams: [Int], at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices where streams.contains(Int(routes[index].stream)) {
      routes[index].push(.restarted, at: time, into: &ring)
    }
  }

  /// Reports through the ring that the board responds but sends no data for these streams.
  mutating func silence(
    _ streams: [Int], at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices where streams.contains(Int(routes[index].stream)) {
      routes[index].pushSilence(at: time, into: &ring)
    }
  }

  /// Reports through the ring that the board's link dropped.
  mutating func leave(at time: BootTime, _ ring: inout RingProducer<Reading>) {
    for index in routes.indices { routes[index].pushLinkLost(at: time, into: &ring) }
  }

  /// Pushes the pending reports that did not fit into the ring earlier. Returns `true` once none
  /// are pending.
  mutating func settle(at time: BootTime, _ ring: inout RingProducer<Reading>) -> Bool {
    var isSettled = true
    for index in routes.indices {
      isSettled = routes[index].settle(at: time, into: &ring) && isSettled
    }
    return isSettled
  }
}
