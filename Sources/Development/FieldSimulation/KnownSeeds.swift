/// Seeds of trips that once broke an invariant, with one board and one day: they come first.
enum KnownSeeds {
  static let all: [UInt64] = [
    // A board that hung sent on for a second after its new link was up.
    9,
    // Damaged packets with surplus bytes hold true samples.
    5,
    // bluetoothd kept its links, over which a board still sent.
    4,
  ]
}
