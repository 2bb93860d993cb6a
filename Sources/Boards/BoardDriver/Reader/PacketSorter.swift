package import MetaWearProtocol
package import Recording
package import RingBuffer
package import Values

/// Takes one board's packets to where they belong: samples into the ring to the recorder.
///
/// It knows neither sockets nor clocks, so that what the reader does with each packet can be
/// measured by itself.
package struct PacketSorter {
  /// What a packet turned out to be.
  package enum Finding {
    /// Samples of a stream; those the ring had no room for are counted.
    case samples
    /// A stream's packet that cannot be read, which the ring is told of.
    case malformed
    /// No packet of any stream.
    case other
  }

  private var routes: [StreamRoute]
  /// How many streams there are, those included that have no route.
  private let streamCount: Int

  /// Sorts what the streams of a board send. A reading names its stream by the position here, which
  /// a missing decoder uses up.
  package init(board: UInt16, streams: [StreamDecoder?]) {
    streamCount = streams.count
    routes = streams.enumerated().compactMap { position, decoder in
      decoder.map { StreamRoute(board: board, stream: UInt8(position), decoder: $0) }
    }
  }

  /// Takes over what the sorter before this one owes to the ring.
  ///
  /// The streams of a board are the same for a whole session, so every debt finds its stream.
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
    // One access to all of them: each access to the array by itself would look who else has it.
    var routes = routes.mutableSpan
    for index in routes.indices where routes[index].decoder.claims(packet) {
      let isRead = routes[index].push(packet, arrival: arrival, into: &ring)
      return isRead ? .samples : .malformed
    }
    return .other
  }

  /// Whether there is anything to sort for.
  var isEmpty: Bool { routes.isEmpty }

  /// Packets of each stream so far, those that could not be read left out.
  var packets: [UInt64] {
    var packets = [UInt64](repeating: 0, count: streamCount)
    for route in routes { packets[Int(route.stream)] = route.packets }
    return packets
  }

  /// Tells the ring that the board's numbers begin again.
  mutating func restart(
    _ kind: Reading.Kind, at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices { routes[index].push(kind, at: time, into: &ring) }
  }

  /// The same for these streams alone.
  mutating func restart(
    _ streams: [Int], at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices where streams.contains(Int(routes[index].stream)) {
      routes[index].push(.restarted, at: time, into: &ring)
    }
  }

  /// Tells the ring that the board is there and sends nothing of these streams.
  mutating func silence(
    _ streams: [Int], at time: BootTime, _ ring: inout RingProducer<Reading>
  ) {
    for index in routes.indices where streams.contains(Int(routes[index].stream)) {
      routes[index].pushSilence(at: time, into: &ring)
    }
  }

  /// Tells the ring that the board's link went.
  mutating func leave(at time: BootTime, _ ring: inout RingProducer<Reading>) {
    for index in routes.indices { routes[index].pushLinkLost(at: time, into: &ring) }
  }

  /// Tells the ring what it had no room for; `true` when nothing is left to be told.
  mutating func settle(at time: BootTime, _ ring: inout RingProducer<Reading>) -> Bool {
    var isSettled = true
    for index in routes.indices {
      isSettled = routes[index].settle(at: time, into: &ring) && isSettled
    }
    return isSettled
  }
}
