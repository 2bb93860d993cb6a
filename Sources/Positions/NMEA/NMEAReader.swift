public import Recording
public import Values

/// Converts a receiver's bytes into one report per epoch by framing, parsing and merging sentences.
///
/// In this example, a single sentence yields a fix:
///
///     var reader = NMEAReader()
///     var fixes: [Fix] = []
///     func take(_ report: PositionReport) {
///       if case .fix(let fix) = report { fixes.append(fix) }
///     }
///     let line = Array("$GPRMC,093000,A,5310.080,N,00956.400,E,2.7,84.4,040526,,,A*43\r\n".utf8)
///     reader.receive(line.span, at: BootTime(nanoseconds: 0), report: take)
///     reader.flush(report: take)
public struct NMEAReader: ~Copyable, Sendable {
  private var framer = SentenceFramer()
  private var merger: EpochMerger
  private var book = SkyBook()

  /// Creates a reader for a receiver that was just connected, or for a recorded log.
  ///
  /// - Parameters:
  ///   - floor: Earlier dates are treated as a GPS week rollover; see `WeekRollover`.
  ///   - isLive: Whether a fix is needed as soon as its cycle appears to be over; see
  ///     `EpochMerger`.
  public init(floor: UTCTime = WeekRollover.liveFloor, isLive: Bool = true) {
    merger = EpochMerger(floor: floor, isLive: isLive)
  }

  public var counts: SentenceCounts { framer.counts }

  /// Number of 1,024-week eras added to the date of the latest fix.
  public var addedEras: Int { merger.addedEras }

  /// Number of fixes that imply a speed of more than 500 m/s since the previous fix. These fixes
  /// remain in the track.
  public var jumps: Int { merger.jumps }

  /// The last reading of the receiver's clock, even without a position, or `nil` before the first
  /// reading.
  public var time: ReceiverTime? { merger.time }

  /// The satellites in view, computed on request.
  public var sky: Sky { book.sky }

  /// Reads bytes that arrived at `arrival`, and reports every epoch that ends. The bytes may begin
  /// and end anywhere within a sentence.
  public mutating func receive(
    _ bytes: Span<UInt8>, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    var position = 0
    while framer.accept(bytes, from: &position, at: arrival) { take(report) }
  }

  /// Reports the epoch that is still open. Call this when the line has paused for 200 ms or has
  /// ended.
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
        // Most sentences are GSV sentences, which never contribute to a fix.
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
