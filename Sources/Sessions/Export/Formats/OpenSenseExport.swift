internal import LinuxSystem
internal import Recording
internal import Values

/// Writes the orientations of all boards as a file for OpenSense, the part of OpenSim that computes
/// joint angles from motion sensors.
///
/// The format requires regular rows, so the orientations are interpolated as in `TableExport`.
struct OpenSenseExport {
  /// The part of the session to write. Streams other than quaternions are skipped.
  var selection = ExportSelection()
  /// Rows per second; `nil` for the fastest stream's rate.
  var rate: Double?

  /// Writes the orientations, and the gaps as a separate table; see `CSVExport.write`. Throws an
  /// `OutputRefusal` if there are no orientations to write.
  func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    let streams = try source.streams().filter {
      selection.includes($0) && $0.description.isQuaternion && $0.sampleCount > 0
    }
    let rates = streams.map(\.description.rate).filter { $0.isFinite && $0 > 0 }
    guard let rate = rate ?? rates.max() else {
      throw OutputRefusal(
        "cannot write sto: the exported part of the session contains no orientations",
        remedy: "record the sensor 'quaternion' or 'quaternion_imu', or use another format")
    }
    var orientations = selection
    orientations.boards = Set(streams.map(\.board.address))
    orientations.signals = Set(streams.map(\.description.signal))
    var gaps = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    var merge = try SampleMerge(source, orientations, visitsLosses: true)
    try merge.begin(in: source, gaps: &gaps)
    let rows = OrientationRows(
      merge.streams, placements: try source.placements(), start: source.session.start)
    var writer = ResampledWriter(
      merge, rows, rate: rate, from: selection.from ?? source.session.start,
      FixWindow(ClockTable([]), maximumAge: 0))
    var totals = try writer.writeAll(from: source, to: &sink, &gaps, to: &gapSink, pause: pause)
    guard writer.rows.hasBegun else {
      throw OutputRefusal(
        "cannot write sto: at no instant do all exported boards have an orientation",
        remedy: "export fewer boards with '--board', or another part of the session with '--from'")
    }
    totals.joining = .resampled(rate)
    return totals
  }
}
