/// Seeds of trips that once broke an invariant, or that show a planted fault which others hide.
/// They have one board and one day, and run first.
enum KnownSeeds {
  static let all: [UInt64] = [
    // A board that hung went on sending for a second after its new link was up.
    9,
    // Damaged packets with surplus bytes contain true samples.
    5,
    // bluetoothd kept its links, over which a board still sent.
    4,
    // A board ignored the command that clears it, and sent every sample twice for a minute.
    696_463_825,
    // A board ignored the command to stop, and was configured while its sensors ran.
    168_557_082,
    // The first packets after a lost link were 1.4 s late, and the gap was counted too long.
    933_097_526,
    // A full disk ended a recording, and had no room for a reader either.
    162_026_213,
    // An adapter was off and blocked, and stayed off: the mistake was in the trip.
    355_538_061,
    // A firmware hung for half a second and took no samples, but the judge expected them.
    506_178_420,
    // A power cut tore the tail of a recording without any other fault, and its samples are
    // counted.
    675_992_884,
    // A walk on which only packets are lost, so the number of losses is known.
    3,
    // That many packets were lost that a sensor was restarted, and its gap is an estimate.
    3_108_952_221,
    // A sensor falls silent, and no other fault restarts it.
    604_320_730,
    // bluetoothd came back, with its links but without attributes, soon after the board's
    // attributes were read again: the link stayed, and with it the fault.
    3_109_985_769,
    // A server failed at a record in two runs, which parked it, but the judge expected it there.
    738_505_567,
  ]
}
