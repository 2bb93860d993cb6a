/// Seeds of trips that once broke an invariant, or that show a planted fault which others hide.
/// They have one board and one day, and come first.
enum KnownSeeds {
  static let all: [UInt64] = [
    // A board that hung sent on for a second after its new link was up.
    9,
    // Damaged packets with surplus bytes hold true samples.
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
    // An adapter was off and blocked, and stayed off: the fault was the trip's.
    355_538_061,
    // A firmware hung for half a second and took no samples: the judge expected them.
    506_178_420,
    // A power cut tore the tail of a recording without any other fault, and its samples are
    // counted.
    675_992_884,
    // On a walk packets are lost and nothing else, so it is known how many have to be counted.
    3,
    // So many packets were lost that a sensor was started again, and its gap is an estimate.
    3_108_952_221,
    // A sensor falls silent, and no other fault starts it again.
    604_320_730,
    // bluetoothd came back, with its links and without attributes, soon after the board's were read
    // again: the link stayed, and with it the fault.
    3_109_985_769,
    // A server failed at a record in two runs, which parked it: the judge expected it there.
    738_505_567,
  ]
}
