internal import Glibc
internal import HotPaths

/// Sends notifications at regular intervals, one by one, like bluetoothd.
struct PacketSender {
  static let samplesPerPacket = 3
  /// The number of packets sent before the measurement. While they arrive, a receiver touches its
  /// memory for the first time, stores its first chunks and reaches a steady state.
  static let warmingUp = 2_000
  /// A packet that is not a sample. It marks the end for receivers.
  static let end: [UInt8] = [0]
  /// Packets with three accelerometer samples, as sent by a board: 20 bytes each.
  private static let reel = PacketReel(header: [0x03, 0x05], countLength: 0, valueLength: 18)

  /// Packets per second, evenly spaced.
  let rate: Double

  /// Sends this many packets. Returns the number of packets that `put` did not accept.
  func send(_ packets: Int, put: ([UInt8]) -> Bool) -> Int {
    var dropped = 0
    var next = Self.now()
    for number in 0..<packets {
      if !put(Array(Self.reel.bytes[Self.reel.range(of: number)])) { dropped += 1 }
      next += 1e9 / rate
      Self.sleep(until: next)
    }
    return dropped
  }

  /// Sends this many packets with numbered samples.
  func send(numbered packets: Int, put: ([UInt8]) -> Void) {
    var next = Self.now()
    for number in 0..<packets {
      put(NumberedSamples.packet(number))
      next += 1e9 / rate
      Self.sleep(until: next)
    }
  }

  /// Sends packets with numbered samples for as long as `isWanted` returns `true`. Returns the
  /// number of packets sent.
  func send(numberedWhile isWanted: () -> Bool, put: ([UInt8]) -> Void) -> Int {
    var next = Self.now()
    var number = 0
    while isWanted() {
      put(NumberedSamples.packet(number))
      number += 1
      next += 1e9 / rate
      Self.sleep(until: next)
    }
    return number
  }

  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Sleeps until an absolute time. If one wait is too long, the next is correspondingly shorter.
  private static func sleep(until nanoseconds: Double) {
    let whole = Int(nanoseconds)
    var time = timespec(tv_sec: whole / 1_000_000_000, tv_nsec: whole % 1_000_000_000)
    unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
  }
}
