internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// Routes one stream's samples into the ring. Stores the reports that are still waiting for space.
struct StreamRoute {
  let board: UInt16
  let stream: UInt8
  private(set) var decoder: StreamDecoder
  /// Buffer for the samples of one packet. Reused for each packet to avoid allocations.
  private var batch = SampleBatch()
  /// Number of packets whose samples were decoded.
  private(set) var packets: UInt64 = 0
  /// Number of dropped samples not yet reported through the ring.
  private var overflow: UInt32 = 0
  /// Whether any report, including one about dropped samples, must still be pushed into the ring.
  /// Combines four checks per packet into one.
  private var isInDebt = false
  /// Whether the lost link must still be reported through the ring.
  private var owesLinkLost = false
  /// Whether the stream's silence must still be reported through the ring.
  private var owesSilence = false
  /// The counter restart that must still be reported through the ring.
  private var owedRestart: Reading.Kind?

  init(board: UInt16, stream: UInt8, decoder: StreamDecoder) {
    self.board = board
    self.stream = stream
    self.decoder = decoder
  }

  /// Takes over pending reports from the stream's previous route.
  mutating func takeOver(from former: StreamRoute) {
    overflow = former.overflow
    owesLinkLost = former.owesLinkLost
    owesSilence = former.owesSilence
    owedRestart = former.owedRestart
    isInDebt = former.isInDebt
  }

  /// Pushes the samples of a packet that belongs to this stream. If the packet is unreadable,
  /// pushes a report instead and returns `false`.
  @inline(__always)
  mutating func push(
    _ packet: Span<UInt8>, arrival: BootTime, into ring: inout RingProducer<Reading>
  ) -> Bool {
    do throws(DecodeError) {
      try decoder.decode(claimed: packet, into: &batch)
      packets &+= 1
      pushBatch(arrival: arrival, into: &ring)
      return true
    } catch {
      let samples = UInt32(decoder.layout.samplesPerPacket)
      push(remark(.malformed, arrival, counter: samples), losing: samples, into: &ring)
      return false
    }
  }

  /// Reports through the ring that the board's link dropped.
  mutating func pushLinkLost(at time: BootTime, into ring: inout RingProducer<Reading>) {
    owesLinkLost = true
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Reports through the ring that the board responds but sends no data for this stream.
  mutating func pushSilence(at time: BootTime, into ring: inout RingProducer<Reading>) {
    owesSilence = true
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Reports a restart of the board's counters through the ring, as `.restarted` or `.rebooted`.
  mutating func push(
    _ restart: Reading.Kind, at time: BootTime, into ring: inout RingProducer<Reading>
  ) {
    // When two restarts are pending, `.rebooted` takes precedence, because it is the more serious
    // one.
    if owedRestart != .rebooted { owedRestart = restart }
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Reports through the ring how many samples the board itself had counted before this packet, or
  /// on an earlier link. If the ring is full, the count is dropped, because the next count includes
  /// it.
  mutating func pushTally(
    _ count: UInt32, ofEarlierLink isEarlier: Bool = false, at time: BootTime,
    into ring: inout RingProducer<Reading>
  ) {
    guard settle(at: time, into: &ring) else { return }
    // Samples that do not yet fill a packet are still on the board, so they are excluded from the
    // count.
    let made = count - count % UInt32(decoder.layout.samplesPerPacket)
    var reading = remark(.tally, time, counter: made)
    reading.x = isEarlier ? -1 : Int32(bitPattern: decoder.numbered)
    _ = ring.push(reading)
  }

  /// Pushes the pending reports that did not fit into the ring earlier. Returns `true` once none
  /// are pending.
  @inline(__always)
  mutating func settle(at time: BootTime, into ring: inout RingProducer<Reading>) -> Bool {
    !isInDebt || payDebts(at: time, into: &ring)
  }

  private mutating func payDebts(
    at time: BootTime, into ring: inout RingProducer<Reading>
  ) -> Bool {
    if overflow > 0 {
      guard ring.push(remark(.overflow, time, counter: overflow)) else { return false }
      overflow = 0
    }
    if owesLinkLost {
      guard ring.push(remark(.linkLost, time, counter: 0)) else { return false }
      owesLinkLost = false
    }
    if owesSilence {
      guard ring.push(remark(.silent, time, counter: 0)) else { return false }
      owesSilence = false
    }
    // If the counter restart were not reported, every later counter value would be treated as a
    // duplicate.
    if let restart = owedRestart {
      guard ring.push(remark(restart, time, counter: 0)) else { return false }
      owedRestart = nil
    }
    isInDebt = false
    return true
  }

  /// Pushes all samples in the batch in one operation, which costs as much as pushing a single
  /// reading. Counts the samples that do not fit.
  @inline(__always)
  private mutating func pushBatch(arrival: BootTime, into ring: inout RingProducer<Reading>) {
    var pushed = 0
    if settle(at: arrival, into: &ring) {
      pushed = ring.push(batch.count) { position in
        let sample = batch[position]
        return Reading(
          board: board, stream: stream, arrival: arrival, counter: sample.counter,
          x: sample.x, y: sample.y, z: sample.z, w: sample.w)
      }
    }
    if pushed < batch.count { lose(UInt32(batch.count - pushed)) }
  }

  /// Pushes a reading after the pending reports. If the ring is full, counts the reading's samples
  /// as lost.
  private mutating func push(
    _ reading: Reading, losing samples: UInt32, into ring: inout RingProducer<Reading>
  ) {
    guard settle(at: reading.arrival, into: &ring), ring.push(reading) else {
      lose(samples)
      return
    }
  }

  private mutating func lose(_ samples: UInt32) {
    overflow += samples
    isInDebt = isInDebt || samples > 0
  }

  private func remark(_ kind: Reading.Kind, _ time: BootTime, counter: UInt32) -> Reading {
    Reading(kind: kind, board: board, stream: stream, arrival: time, counter: counter)
  }
}
