internal import Values

/// The files of one recording, judged together.
public struct AuditedRecording: Sendable {
  /// The numbers of rows and the times of two files. All differences are the first file minus the
  /// second.
  public struct Comparison: Hashable, Sendable {
    /// The place in the recording's files.
    public var first: Int
    public var second: Int
    public var rows: Int
    /// Microseconds between the first rows.
    public var start: Int64
    /// Microseconds between the last rows.
    public var end: Int64
  }

  /// The rows that a file lacks although its times show no gap.
  public struct HiddenLoss: Hashable, Sendable {
    public var file: Int
    public var rows: Int
    /// The file that lasts longer.
    public var reference: Int
    /// The rows by which the estimate may be too high or too low.
    public var uncertainty: Int
  }

  /// A rate and half the width of the interval that contains it, in Hz.
  public struct Rate: Hashable, Sendable {
    public var hertz: Double
    public var uncertainty: Double
    /// The file whose clock measured the rate.
    public var reference: Int

    /// The rate and its uncertainty, without the unit.
    public var text: String {
      let decimals = uncertainty < 0.005 ? 4 : 2
      return NumberText.fixed(hertz, decimals: decimals) + " ± "
        + NumberText.fixed(uncertainty, decimals: decimals)
    }
  }

  public let files: [AuditedFile]
  /// A name for each file: its sensor, with the name of the file if several have the same sensor.
  public let labels: [String]
  public private(set) var comparisons: [Comparison] = []
  public private(set) var losses: [HiddenLoss] = []
  /// The true rate of each file; `nil` if it is unknown.
  public private(set) var rates: [Rate?] = []
  public private(set) var findings: [AuditFinding] = []

  /// The difference that sensors of one board show when they stop together. They are stopped one
  /// after the other, and each sends its samples in packets of up to three.
  private static let stopTime: Int64 = 100_000
  /// The share by which the clock of a sensor deviates from its nominal rate.
  private static let tolerance = 0.01
  /// The maximum number of files that are compared with each other.
  private static let mostCompared = 64

  /// Whether a file has too few rows, so that a recording without a fault is not proven sound.
  public var isTooShort: Bool { findings.contains { $0.kind == .tooShort } }

  /// Whether nothing speaks against using the recording as it is.
  public var isSound: Bool { !findings.contains { $0.kind.isFault } }

  /// The rows that a file lacks although its times show no gap; 0 if none were found, and `nil` if
  /// a loss could not be found: without a set rate or a clock, or if the sensors did not start and
  /// stop together.
  public func hiddenLoss(of place: Int) -> Int? {
    if let loss = losses.first(where: { $0.file == place }) { return loss.rows }
    let file = files[place]
    guard rates[place] != nil, file.name.hertz != nil, let span = file.interval else { return nil }
    let together = motionPeers(of: place).allSatisfy { peer in
      files[peer].interval.map { abs($0.start - span.start) < 1_000_000 } ?? false
    }
    return together ? 0 : nil
  }

  /// The name that the files share, or the name of the first one.
  public var name: String { files.first.map { $0.name.recording ?? $0.name.stem } ?? "" }

  /// Judges files that belong together.
  public init(_ files: [AuditedFile]) {
    self.files = files
    let subjects = files.map(\.subject)
    labels = files.map { file in
      subjects.count { $0 == file.subject } > 1
        ? "\(file.subject) (\(file.name.stem))" : file.subject
    }
    rates = files.map { _ in nil }
    compare()
    for place in files.indices { judgeRate(place) }
    findLosses()
    // A rate by another clock counts rows, so it is wrong if rows are missing.
    for loss in losses where files[loss.file].times.origin.mayBeComputed { rates[loss.file] = nil }
    findings = files.indices.flatMap { findings(of: $0) } + commonFindings
  }

  /// Sorts files into recordings: files of one name by MetaBase belong together, and so do files
  /// whose times overlap for at least half of the shorter one.
  public static func sorted(_ files: [AuditedFile]) -> [AuditedRecording] {
    var groups: [[AuditedFile]] = []
    for file in files {
      let place = groups.firstIndex { $0.contains { belong(file, $0) } }
      if let place { groups[place].append(file) } else { groups.append([file]) }
    }
    return groups.map { AuditedRecording($0) }
  }

  private static func belong(_ file: AuditedFile, _ other: AuditedFile) -> Bool {
    if let name = file.name.recording, name == other.name.recording { return true }
    guard file.isAbsolute, other.isAbsolute, let one = file.interval, let two = other.interval
    else { return false }
    let common = min(one.end, two.end) - max(one.start, two.start)
    let shorter = min(one.end - one.start, two.end - two.start)
    return common >= 0 && 2 * common >= shorter
  }

  private var comparable: [Int] {
    Array(files.indices.filter { files[$0].interval != nil }.prefix(Self.mostCompared))
  }

  private mutating func compare() {
    let comparable = comparable
    for (place, one) in comparable.enumerated() {
      for two in comparable[(place + 1)...] {
        guard let first = files[one].interval, let second = files[two].interval,
          files[one].isAbsolute == files[two].isAbsolute
        else { continue }
        comparisons.append(
          Comparison(
            first: one, second: two,
            rows: files[one].rows - files[two].rows, start: first.start - second.start,
            end: first.end - second.end))
      }
    }
  }

  /// The other sensors of the same board, whose times can be compared. A board has one sensor of a
  /// kind.
  private func peers(of place: Int) -> [Int] {
    guard files[place].isAbsolute, files[place].name.board != nil else { return [] }
    return comparable.filter {
      files[$0].isAbsolute && files[$0].name.board == files[place].name.board
        && files[$0].subject != files[place].subject
    }
  }

  /// The other motion sensors of the board, which share a clock.
  private func motionPeers(of place: Int) -> [Int] {
    files[place].signals.kind == .other
      ? [] : peers(of: place).filter { files[$0].signals.kind != .other }
  }

  /// The other motion sensors of the board at their set rates, which started and stopped with this
  /// one. So the board did not run slower.
  func companions(of place: Int) -> [Int] {
    guard let span = files[place].interval else { return [] }
    return motionPeers(of: place).filter { peer in
      guard let other = files[peer].interval, files[peer].explainsRate else { return false }
      return abs(other.start - span.start) < 1_000_000 && abs(other.end - span.end) < 1_000_000
    }
  }

  /// Derives the true rate: from the file's own times if they were measured, or else from another
  /// sensor of the board with measured times, which started and stopped at about the same time.
  private mutating func judgeRate(_ place: Int) {
    let file = files[place]
    guard let span = file.interval, file.rows > 10, file.isOrdered, file.explainsRate else {
      return
    }
    if file.times.origin == .measured, let hertz = file.times.hertzBetweenGaps {
      let slack = file.times.slack / Double(max(1, file.times.span))
      rates[place] = Rate(hertz: hertz, uncertainty: hertz * slack, reference: place)
      return
    }
    guard file.times.origin.mayBeComputed else { return }
    let references = peers(of: place).filter {
      files[$0].times.origin == .measured && files[$0].isOrdered && files[$0].explainsRate
    }
    guard let reference = references.max(by: { files[$0].rows < files[$1].rows }),
      let other = files[reference].interval, let median = files[reference].times.median
    else { return }
    // The last row of a slow sensor is up to one spacing older than the end of the recording.
    let duration = Double(other.end + median / 2 - span.start) / 1e6
    let slack = Double(median / 2 + Self.stopTime / 2) / 1e6
    guard duration > 20 * slack, abs(span.start - other.start) < 1_000_000 else { return }
    let hertz = Double(file.rows - 1 + file.times.missing) / duration
    rates[place] = Rate(hertz: hertz, uncertainty: hertz * slack / duration, reference: reference)
  }

  private mutating func findLosses() {
    for place in files.indices {
      let file = files[place]
      guard let span = file.interval, let nominal = nominal(of: place), file.rows > 2 else {
        continue
      }
      let peers = motionPeers(of: place)
      // Sensors on one chip share a clock, so the one that lasts longest shows the end.
      let last = ([place] + peers).max { end(of: $0) < end(of: $1) } ?? place
      let loss: HiddenLoss?
      guard file.isOrdered, file.explainsRate || !companions(of: place).isEmpty else { continue }
      if file.times.origin.mayBeComputed {
        loss =
          self.loss(place, span, until: end(of: last), nominal, last)
          ?? lossByClock(place, span, nominal)
      } else if file.times.origin == .unknown {
        loss = nil
      } else {
        let rows = Double(end(of: last) - span.end) / 1e6 * (file.times.hertzBetweenGaps ?? nominal)
        loss = checked(place, rows, nominal, last)
      }
      if let loss { losses.append(loss) }
    }
  }

  private func end(of place: Int) -> Int64 { files[place].interval?.end ?? .min }

  /// Returns the set rate, or else the rate of a sensor that is within 5 % of this one.
  private func nominal(of place: Int) -> Double? {
    files[place].nominal ?? files[place].times.hertzBetweenGaps
  }

  /// Compares the rows with the time until `end` at the set rate.
  private func loss(
    _ place: Int, _ span: AuditedFile.Interval, until end: Int64, _ nominal: Double, _ last: Int
  ) -> HiddenLoss? {
    let expected = Double(end - span.start) / 1e6 * nominal + 1
    let found = files[place].rows + files[place].times.missing
    return checked(place, expected - Double(found), nominal, last)
  }

  private func checked(
    _ place: Int, _ rows: Double, _ nominal: Double, _ reference: Int
  ) -> HiddenLoss? {
    let slack = max(Double(Self.stopTime) / 1e6 * nominal, 3)
    guard rows > slack, rows.isFinite, rows < 1e15 else { return nil }
    let uncertainty = reference == place ? 1 : slack
    return HiddenLoss(
      file: place, rows: Int(rows.rounded()), reference: reference,
      uncertainty: Int(uncertainty.rounded(.up)))
  }

  /// Compares the rows with a clock: a sensor with measured times. The sensor's own rate is only
  /// known within its tolerance.
  private func lossByClock(
    _ place: Int, _ span: AuditedFile.Interval, _ nominal: Double
  ) -> HiddenLoss? {
    guard let rate = rates[place], rate.reference != place,
      rate.hertz + rate.uncertainty < nominal * (1 - Self.tolerance)
    else { return nil }
    let rows = Double(files[place].rows + files[place].times.missing)
    let duration = rows / rate.hertz
    return HiddenLoss(
      file: place, rows: Int((duration * nominal - rows).rounded()), reference: rate.reference,
      uncertainty: Int((duration * (nominal * Self.tolerance + rate.uncertainty)).rounded(.up)))
  }
}

extension AuditedFile {
  /// Whether no row is repeated or out of order.
  var isOrdered: Bool { times.backward == 0 && times.duplicates == 0 }

  /// The time of the first and of the last row, in microseconds.
  struct Interval {
    var start: Int64
    var end: Int64
  }

  /// The times between the first and the last row; `nil` without rows, or if another epoch begins.
  var interval: Interval? {
    guard problem == nil, times.jumpCount == 0, let start = times.first, let end = times.last,
      start <= end, start.magnitude < 1 << 61, end.magnitude < 1 << 61
    else { return nil }
    return Interval(start: start, end: end)
  }
}
