public import Recording
public import Values

/// From the bytes of a receiver to one report an epoch: framing, parsing and merging in one.
public struct NMEAReader: ~Copyable, Sendable {
  private var framer = SentenceFramer()
  private var merger: EpochMerger
  private var book = SkyBook()

  /// A reader for a receiver that was just connected, or for a log.
  ///
  /// - Parameters:
  ///   - floor: dates before it are taken for a wrapped week; see `WeekRollover`.
  ///   - isLive: whether a fix is wanted as soon as its cycle seems over; see `EpochMerger`.
  public init(floor: UTCTime = WeekRollover.liveFloor, isLive: Bool = true) {
    merger = EpochMerger(floor: floor, isLive: isLive)
  }

  /// The sentences taken and refused so far.
  public var counts: SentenceCounts { framer.counts }

  /// Eras of 1,024 weeks that were added to the date of the latest fix.
  public var addedEras: Int { merger.addedEras }

  /// Fixes that were more than 500 m/s away from the one before; nothing is left out for it.
  public var jumps: Int { merger.jumps }

  /// What the receiver's clock said last, also without a position; `nil` while it said nothing.
  public var time: ReceiverTime? { merger.time }

  /// The satellites in view. Made when asked for.
  public var sky: Sky { book.sky }

  /// Takes bytes that arrived at `arrival`, cut anywhere, and reports every epoch that ends.
  public mutating func receive(
    _ bytes: Span<UInt8>, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    var position = 0
    while framer.accept(bytes, from: &position, at: arrival) { take(report) }
  }

  /// Reports the epoch that is still open. To be called when the line has paused for 200 ms, or
  /// has ended.
  public mutating func flush(report: (PositionReport) -> Void) {
    merger.flush(report: report)
  }

  private mutating func take(_ report: (PositionReport) -> Void) {
    do {
      guard let kind = try ParsedSentence.Kind(framer.sentence) else {
        framer.counts.ignored += 1
        return
      }
      let cycle = merger.closed
      switch kind {
      case .gsv:
        // Most sentences are these, and no fix comes of them.
        let gsv = try ParsedSentence.GSV(framer.sentence)
        book.take(gsv, framer.sentence, cycle: cycle)
      case .gsa:
        let gsa = try ParsedSentence.GSA(framer.sentence)
        book.take(gsa, framer.sentence, cycle: cycle)
        merger.merge(.gsa(gsa), at: framer.sentence.arrival, report: report)
      default:
        let parsed = try ParsedSentence(framer.sentence, of: kind)
        merger.merge(parsed, at: framer.sentence.arrival, report: report)
      }
      framer.counts.accepted += 1
    } catch {
      framer.counts.count(error)
    }
  }
}
