internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// One stream's route into the ring: its decoder, its name there, and the reports for which the
/// ring had no room.
struct StreamRoute {
  let board: UInt16
  let stream: UInt8
  private(set) var decoder: StreamDecoder
  /// Buffer for the samples of one packet, kept to avoid setting one up for each.
  private var batch = SampleBatch()
  /// Packets whose samples were taken.
  private(set) var packets: UInt64 = 0
  /// Dropped samples not yet reported to the ring.
  private var overflow: UInt32 = 0
  /// Whether any report to the ring is pending, dropped samples included: one check per packet
  /// instead of four.
  private var isInDebt = false
  /// Whether the end of the link is still to be reported to the ring.
  private var owesLinkLost = false
  /// Whether the stream's silence is still to be reported to the ring.
  private var owesSilence = false
  /// The restart of the board's counters that is still to be reported to the ring.
  private var owedRestart: Reading.Kind?

  init(board: UInt16, stream: UInt8, decoder: StreamDecoder) {
    self.board = board
    self.stream = stream
    self.decoder = decoder
  }

  /// Takes over the pending reports of the stream's former route.
  mutating func takeOver(from former: StreamRoute) {
    overflow = former.overflow
    owesLinkLost = former.owesLinkLost
    owesSilence = former.owesSilence
    owedRestart = former.owedRestart
    isInDebt = former.isInDebt
  }

  /// Pushes the samples of one packet that the decoder claims. For an unreadable packet, pushes a
  /// report and returns `false`.
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

  /// Reports that the board's link dropped.
  mutating func pushLinkLost(at time: BootTime, into ring: inout RingProducer<Reading>) {
    owesLinkLost = true
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Reports that the board is there but sends nothing of this stream.
  mutating func pushSilence(at time: BootTime, into ring: inout RingProducer<Reading>) {
    owesSilence = true
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Reports that the board's counters start again, as `.restarted` or `.rebooted`.
  mutating func push(
    _ restart: Reading.Kind, at time: BootTime, into ring: inout RingProducer<Reading>
  ) {
    // Of two pending restarts, the graver one is reported.
    if owedRestart != .rebooted { owedRestart = restart }
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Reports the board's own count of the samples before this packet, or of an earlier link.
  /// Without room it is dropped: the next count says as much.
  mutating func pushTally(
    _ count: UInt32, ofEarlierLink isEarlier: Bool = false, at time: BootTime,
    into ring: inout RingProducer<Reading>
  ) {
    guard settle(at: time, into: &ring) else { return }
    // The samples of a packet that is not full yet are still on the board.
    let made = count - count % UInt32(decoder.layout.samplesPerPacket)
    var reading = remark(.tally, time, counter: made)
    reading.x = isEarlier ? -1 : Int32(bitPattern: decoder.numbered)
    _ = ring.push(reading)
  }

  /// Pushes the reports that found no room in the ring; `true` when none remains.
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
    // Without this report, every following counter would look like a repeated one.
    if let restart = owedRestart {
      guard ring.push(remark(restart, time, counter: 0)) else { return false }
      owedRestart = nil
    }
    isInDebt = false
    return true
  }

  /// Pushes the batch at the price of one reading, and counts the samples that find no room.
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

  /// Pushes a reading after the pending reports; if there is no room, counts its samples as lost.
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
