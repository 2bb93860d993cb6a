internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// One stream on its way into the ring: its decoder, its name there, and what the ring had no room
/// for.
struct StreamRoute {
  let board: UInt16
  let stream: UInt8
  private(set) var decoder: StreamDecoder
  /// The samples of one packet, kept here so that it is not set up again for each.
  private var batch = SampleBatch()
  /// Packets whose samples were taken.
  private(set) var packets: UInt64 = 0
  /// Samples that were dropped and that the ring has not been told of.
  private var overflow: UInt32 = 0
  /// Whether there is anything of what follows: one look for each packet instead of three.
  private var isInDebt = false
  /// Whether the ring has to be told that the link went.
  private var owesLinkLost = false
  /// Whether the ring has to be told that the stream fell silent.
  private var owesSilence = false
  /// Whether the ring has to be told that the board's numbers begin again.
  private var owedRestart: Reading.Kind?

  init(board: UInt16, stream: UInt8, decoder: StreamDecoder) {
    self.board = board
    self.stream = stream
    self.decoder = decoder
  }

  /// Takes over what the ring has not been told by the route of this stream before.
  mutating func takeOver(from former: StreamRoute) {
    overflow = former.overflow
    owesLinkLost = former.owesLinkLost
    owesSilence = former.owesSilence
    owedRestart = former.owedRestart
    isInDebt = former.isInDebt
  }

  /// Pushes the samples of one packet; a packet that cannot be read pushes that, and gives `false`.
  @inline(__always)
  mutating func push(
    _ packet: Span<UInt8>, arrival: BootTime, into ring: inout RingProducer<Reading>
  ) -> Bool {
    do throws(DecodeError) {
      try decoder.decode(packet, into: &batch)
      packets &+= 1
      pushBatch(arrival: arrival, into: &ring)
      return true
    } catch {
      let samples = UInt32(decoder.layout.samplesPerPacket)
      push(remark(.malformed, arrival, counter: samples), losing: samples, into: &ring)
      return false
    }
  }

  /// Tells that the board's link went.
  mutating func pushLinkLost(at time: BootTime, into ring: inout RingProducer<Reading>) {
    owesLinkLost = true
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Tells that the board is there and sends nothing of this stream.
  mutating func pushSilence(at time: BootTime, into ring: inout RingProducer<Reading>) {
    owesSilence = true
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Tells that the board's numbers begin again, as `.restarted` or `.rebooted`.
  mutating func push(
    _ restart: Reading.Kind, at time: BootTime, into ring: inout RingProducer<Reading>
  ) {
    // Of two that are owed the graver one is told.
    if owedRestart != .rebooted { owedRestart = restart }
    isInDebt = true
    _ = settle(at: time, into: &ring)
  }

  /// Tells the ring what it had no room for; `true` when nothing is left to be told.
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
    // Without it every number that follows would look like one that was there before.
    if let restart = owedRestart {
      guard ring.push(remark(restart, time, counter: 0)) else { return false }
      owedRestart = nil
    }
    isInDebt = false
    return true
  }

  /// Pushes what is in the batch at the price of one reading, and counts what has no room.
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

  /// Pushes a reading after the counts owed to the ring, or counts the samples it stood for.
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
