import TestSupport
@testable import Recording
import Values

/// The arrivals of a stream's packets over a radio link. Packets wait for the next connection
/// event. Some events fail, and no packet is delivered during a stall. After a stall, all waiting
/// packets arrive at once, in order.
struct SimulatedArrivals {
  /// A sample that arrived at the gateway.
  struct Sample {
    /// The true number of the sample, which is hidden from the gateway.
    var truth: Int
    var arrival: BootTime
  }

  /// Nominal time between packets, in nanoseconds.
  var packetPeriod = 20e6
  var samplesPerPacket = 1
  /// The relative error of the board's packet period.
  var rateError = 0.0
  /// The largest change of `rateError`. The change grows and returns to zero within ten minutes.
  var drift = 0.0
  /// Time between two connection events, in nanoseconds.
  var interval = 7.5e6
  /// The share of connection events that fail.
  var failures = 0.1
  /// The number of stalls per second. `longestStall` is in nanoseconds.
  var stallRate = 1.0 / 60
  var longestStall = 3e9
  /// The numbers of the lost packets.
  var lost: Set<Int> = []

  /// Returns the received samples of the first `count` packets.
  func samples(_ count: Int, using random: inout SeededGenerator) -> [Sample] {
    var samples: [Sample] = []
    samples.reserveCapacity(count * samplesPerPacket)
    var sent = 1e9 + Double.random(in: 0..<interval, using: &random)
    var turn = 0.0
    var stallEnd = 0.0
    for packet in 0..<count {
      // A parabola over ten minutes, so that the error rises and falls again.
      let progress = sent / 600e9
      let wandering = drift * 4 * progress * (1 - progress)
      sent += packetPeriod * (1 + rateError + wandering)
      if Double.random(in: 0..<1, using: &random) < stallRate * packetPeriod / 1e9 {
        stallEnd = sent + Double.random(in: 0...longestStall, using: &random)
      }
      let ready = max(sent, stallEnd)
      if ready > turn {
        turn = (ready / interval).rounded(.up) * interval
        while Double.random(in: 0..<1, using: &random) < failures { turn += interval }
      }
      guard !lost.contains(packet) else { continue }
      // The host delivers the packets of one connection event one by one.
      let spread = Double.random(in: 0..<3e5, using: &random)
      let arrival = max(
        BootTime(nanoseconds: Int64(turn + spread)),
        samples.last?.arrival ?? BootTime(nanoseconds: 0))
      for part in 0..<samplesPerPacket {
        samples.append(Sample(truth: packet * samplesPerPacket + part, arrival: arrival))
      }
    }
    return samples
  }

  /// Feeds the samples to an estimator, numbered consecutively, as a decoder would number them.
  func losses(
    in samples: [Sample], estimator: inout LossEstimator
  ) -> [LossEstimator.Loss] {
    var losses: [LossEstimator.Loss] = []
    var number: UInt32 = 17
    for sample in samples {
      let loss = estimator.observe(
        number: number, time: sample.arrival.nanoseconds, arrival: sample.arrival)
      if let loss {
        losses.append(loss)
        number &+= loss.samples
      }
      number &+= 1
    }
    return losses
  }

  /// Returns the losses that an estimator finds among the first `count` packets.
  func losses(_ count: Int, using random: inout SeededGenerator) -> [LossEstimator.Loss] {
    var estimator = LossEstimator(
      period: packetPeriod / Double(samplesPerPacket), unit: .packet)
    return losses(in: samples(count, using: &random), estimator: &estimator)
  }
}
