/// Seeds of trips that once broke an invariant, or that reveal a planted fault that other seeds
/// miss. These trips run first, with one board and for one day.
enum KnownSeeds {
  static let all: [UInt64] = [
    // A hung board continued to send for a second after its new link was up.
    9,
    // Damaged packets with surplus bytes contained valid samples.
    5,
    // bluetoothd kept its links, and a board continued to send over them.
    4,
    // A board ignored the clear command, and sent every sample twice for a minute.
    696_463_825,
    // A board ignored the stop command, and was configured while its sensors ran.
    168_557_082,
    // The first packets after a lost link were 1.4 s late, so the computed gap was too long.
    933_097_526,
    // A full disk ended a recording, and a reader had no space on it either.
    162_026_213,
    // An adapter was switched off, blocked and unblocked. The simulation, not the gateway, failed
    // to switch it on again.
    355_538_061,
    // The firmware was hung for half a second and produced no samples, but the check expected some.
    506_178_420,
    // A power cut tore the tail of a recording that had no other fault. The torn samples were
    // reported as lost.
    675_992_884,
    // The walk has packet loss but no other faults, so the number of lost samples is known.
    3,
    // So many packets were lost that a sensor was restarted, which makes the size of its gap an
    // estimate.
    3_108_952_221,
    // A sensor fell silent, and no other fault restarted it.
    604_320_730,
    // Soon after the board's attributes were read again, bluetoothd came back with its links but
    // without attributes. The link stayed up, but the attributes never came back.
    3_109_985_769,
    // The server failed to store a record in two runs. The store parked the record, but the check
    // expected it on the server.
    738_505_567,
  ]
}
