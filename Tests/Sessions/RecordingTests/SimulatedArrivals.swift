import TestSupport
@testable import Recording
import Values

/// Arrivals of a stream's packets over a radio link: packets wait for the link's next turn, some
/// turns fail, some seconds nothing comes through. What waited comes at once, in order.
struct SimulatedArrivals {
  /// One sample that arrived.
  struct Sample {
    /// Its number as the board would count, which the gateway does not see.
    var truth: Int
    var arrival: BootTime
  }

  /// Nanoseconds between packets as configured.
  var packetPeriod = 20e6
  var samplesPerPacket = 1
  /// By what part the board's packets come further apart than configured.
  var rateError = 0.0
  /// By how much that changes, and grows back, within ten minutes.
  var drift = 0.0
  /// Nanoseconds between two turns of the link.
  var interval = 7.5e6
  /// How often a turn fails.
  var failures = 0.1
  /// Stalls a second, and the longest of them in nanoseconds.
  var stallRate = 1.0 / 60
  var longestStall = 3e9
  /// Packets that are lost, by their number.
  var lost: Set<Int> = []

  /// What arrives of the first `count` packets.
  func samples(_ count: Int, using random: inout SeededGenerator) -> [Sample] {
    var samples: [Sample] = []
    samples.reserveCapacity(count * samplesPerPacket)
    var sent = 1e9 + Double.random(in: 0..<interval, using: &random)
    var turn = 0.0
    var stallEnd = 0.0
    for packet in 0..<count {
      // A parabola over ten minutes, up and down again.
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
      // Packets of one turn come through the host one by one.
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

  /// Runs an estimator over the samples, numbered as a decoder does: one behind the other.
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

  /// What an estimator finds lost among the first `count` packets.
  func losses(_ count: Int, using random: inout SeededGenerator) -> [LossEstimator.Loss] {
    var estimator = LossEstimator(
      period: packetPeriod / Double(samplesPerPacket), unit: .packet)
    return losses(in: samples(count, using: &random), estimator: &estimator)
  }
}
