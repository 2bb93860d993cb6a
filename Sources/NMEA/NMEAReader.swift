public import Recording

/// From the bytes of a receiver to one report an epoch: framing, parsing and merging in one.
public struct NMEAReader: ~Copyable, Sendable {
  private var framer = SentenceFramer()
  private var merger: EpochMerger
  private var book = SkyBook()

  /// A reader for a receiver that was just connected.
  ///
  /// - Parameter floor: dates before it are taken for a wrapped week; see `WeekRollover`.
  public init(floor: UTCTime = WeekRollover.liveFloor) {
    merger = EpochMerger(floor: floor)
  }

  /// What became of the sentences so far.
  public var counts: SentenceCounts { framer.counts }

  /// Eras of 1,024 weeks that were added to the date of the latest fix.
  public var addedEras: Int { merger.addedEras }

  /// What the receiver's clock said last, also without a position; `nil` while it said nothing.
  public var time: ReceiverTime? { merger.time }

  /// The satellites in view. Made when asked for.
  public var sky: Sky { book.sky }

  /// Takes bytes that arrived at `arrival`, cut anywhere, and reports every epoch that ends.
  public mutating func receive(
    _ bytes: Span<UInt8>, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    for position in bytes.indices where framer.accept(bytes[position], at: arrival) {
      take(report)
    }
  }

  /// Reports the epoch that is still open. To be called when the line has paused for 200 ms, or
  /// has ended.
  public mutating func flush(report: (PositionReport) -> Void) {
    merger.flush(report: report)
  }

  private mutating func take(_ report: (PositionReport) -> Void) {
    do {
      guard let parsed = try ParsedSentence(framer.sentence) else {
        framer.counts.ignored += 1
        return
      }
      framer.counts.accepted += 1
      switch parsed {
      case .gsv(let gsv): book.take(gsv, framer.sentence, cycle: merger.closed)
      case .gsa(let gsa): book.take(gsa, framer.sentence, cycle: merger.closed)
      default: break
      }
      merger.merge(parsed, at: framer.sentence.arrival, report: report)
    } catch {
      framer.counts.count(error)
    }
  }
}
