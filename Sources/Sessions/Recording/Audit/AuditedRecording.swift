internal import Values

/// The files of one recording, judged together.
public struct AuditedRecording: Sendable {
  /// The difference between two files: the first file minus the second, with times in
  /// microseconds.
  public struct Comparison: Hashable, Sendable {
    /// Indices in the recording's files.
    public var first: Int
    public var second: Int
    public var rows: Int
    /// Between the first rows.
    public var start: Int64
    /// Between the last rows.
    public var end: Int64
  }

  /// Rows that are missing from a file although its times show no gap.
  public struct HiddenLoss: Hashable, Sendable {
    public var file: Int
    public var rows: Int
    /// The file that shows the loss; equal to `file` if its own times are too long for its rows.
    public var reference: Int
    /// Number of rows by which the estimate may be too high or too low.
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
  /// A name for each file: its sensor, followed by the file's name if several files have the same
  /// sensor.
  public let labels: [String]
  public private(set) var comparisons: [Comparison] = []
  public private(set) var losses: [HiddenLoss] = []
  /// The true rate of each file; `nil` if it is unknown.
  public private(set) var rates: [Rate?] = []
  public private(set) var findings: [AuditFinding] = []

  /// Maximum microseconds between the last samples of sensors that are stopped together. The
  /// sensors are stopped one after the other, and each sends its samples in packets of up to three.
  private static let stopTime: Int64 = 100_000
  /// The fraction by which a sensor's clock may deviate from its nominal rate.
  private static let tolerance = 0.01
  /// The maximum number of files that are compared with each other.
  private static let mostCompared = 64

  /// Whether a file has too few rows, so that the recording cannot be called sound even without a
  /// fault.
  public var isTooShort: Bool { findings.contains { $0.kind == .tooShort } }

  public var isSound: Bool { !findings.contains { $0.kind.isFault } }

  /// Rows that are missing from a file although its times show no gap; 0 if none were found. `nil`
  /// if losses cannot be determined: without a set rate or a clock, or if the board's motion
  /// sensors did not start together.
  public func hiddenLoss(of place: Int) -> Int? {
    if let loss = losses.first(where: { $0.file == place }) { return loss.rows }
    let file = files[place]
    guard rates[place] != nil, file.name.hertz != nil else { return nil }
    return motionPeers(of: place).allSatisfy { started(place, with: $0) } ? 0 : nil
  }

  /// The name that the files share, or otherwise the first file's name.
  public var name: String { files.first.map { $0.name.recording ?? $0.name.stem } ?? "" }

  public init(_ files: [AuditedFile]) {
    self.files = files
    let subjects = files.map(\.subject)
    labels = files.map { file in
      subjects.count { $0 == file.subject } > 1
        ? "\(file.subject) (\(file.name.stem))" : file.subject
    }
    compare()
    rates = files.indices.map { rate(of: $0) }
    losses = files.indices.compactMap { loss(of: $0) }
    // A rate measured with another clock is based on the number of rows, so it is inaccurate if
    // rows are missing.
    for loss in losses where files[loss.file].times.origin.mayBeComputed { rates[loss.file] = nil }
    findings = files.indices.flatMap { findings(of: $0) } + commonFindings
  }

  /// Sorts files into recordings: files that share a name given by MetaBase belong together, and so
  /// do files whose times overlap for at least half of the shorter one.
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
    let common = min(one.upperBound, two.upperBound) - max(one.lowerBound, two.lowerBound)
    let shorter = min(one.upperBound - one.lowerBound, two.upperBound - two.lowerBound)
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
            rows: files[one].rows - files[two].rows, start: first.lowerBound - second.lowerBound,
            end: first.upperBound - second.upperBound))
      }
    }
  }

  /// The board's other sensors, whose times can be compared. A board has one sensor of each kind.
  private func peers(of place: Int) -> [Int] {
    guard files[place].isAbsolute, files[place].name.board != nil else { return [] }
    return comparable.filter {
      files[$0].isAbsolute && files[$0].name.board == files[place].name.board
        && files[$0].subject != files[place].subject
    }
  }

  /// The board's other motion sensors, which share a clock.
  private func motionPeers(of place: Int) -> [Int] {
    files[place].signals.kind == .other
      ? [] : peers(of: place).filter { files[$0].signals.kind != .other }
  }

  /// The board's other motion sensors that started and stopped with this one, at their set rates.
  /// They show that the board itself did not run slow.
  func companions(of place: Int) -> [Int] {
    motionPeers(of: place).filter { peer in
      files[peer].explainsRate && started(place, with: peer)
        && abs(end(of: peer) - end(of: place)) < 1_000_000
    }
  }

  /// Whether two files started within a second of each other.
  private func started(_ place: Int, with other: Int) -> Bool {
    guard let one = files[place].interval, let two = files[other].interval else { return false }
    return abs(one.lowerBound - two.lowerBound) < 1_000_000
  }

  /// Derives the true rate: from the file's own times if they were measured, or else from another
  /// sensor of the board with measured times, which started at about the same time. Assumes that
  /// both sensors stopped together.
  private func rate(of place: Int) -> Rate? {
    let file = files[place]
    guard let span = file.interval, file.rows > 10, file.isOrdered, file.explainsRate else {
      return nil
    }
    if file.times.origin == .measured, let hertz = file.times.hertzBetweenGaps {
      let slack = file.times.slack / Double(max(1, file.times.span))
      return Rate(hertz: hertz, uncertainty: hertz * slack, reference: place)
    }
    guard file.times.origin.mayBeComputed else { return nil }
    let references = peers(of: place).filter {
      files[$0].times.origin == .measured && files[$0].isOrdered && files[$0].explainsRate
    }
    guard let reference = references.max(by: { files[$0].rows < files[$1].rows }),
      let median = files[reference].times.median
    else { return nil }
    // The last row of a slow sensor may precede the end of the recording by up to one spacing.
    let duration = Double(end(of: reference) + median / 2 - span.lowerBound) / 1e6
    let slack = Double(median / 2 + Self.stopTime / 2) / 1e6
    guard duration > 20 * slack, started(place, with: reference) else { return nil }
    let hertz = Double(file.rows - 1 + file.times.missing) / duration
    return Rate(hertz: hertz, uncertainty: hertz * slack / duration, reference: reference)
  }

  /// Compares the number of rows with the number expected, at the set rate, until the last sensor
  /// stops.
  private func loss(of place: Int) -> HiddenLoss? {
    let file = files[place]
    let times = file.times
    guard let span = file.interval, let nominal = file.nominal ?? times.hertzBetweenGaps,
      file.rows > 2, file.isOrdered, file.explainsRate || !companions(of: place).isEmpty,
      times.origin != .unknown
    else { return nil }
    // Sensors on one chip share a clock, so the one that runs longest shows when the recording
    // ended.
    let last = ([place] + motionPeers(of: place)).max { end(of: $0) < end(of: $1) } ?? place
    let slack = max(Double(Self.stopTime) / 1e6 * nominal, 3)
    let rows: Double
    if times.origin.mayBeComputed {
      let expected = Double(end(of: last) - span.lowerBound) / 1e6 * nominal + 1
      rows = expected - Double(file.rows + times.missing)
    } else {
      rows = Double(end(of: last) - span.upperBound) / 1e6 * (times.hertzBetweenGaps ?? nominal)
    }
    guard rows > slack, rows.isFinite, rows < 1e15 else {
      return times.origin.mayBeComputed ? lossByClock(place, nominal) : nil
    }
    return HiddenLoss(
      file: place, rows: Int(rows.rounded()), reference: last,
      uncertainty: last == place ? 1 : Int(slack.rounded(.up)))
  }

  private func end(of place: Int) -> Int64 { files[place].interval?.upperBound ?? .min }

  /// Compares the number of rows with the clock of a sensor with measured times. This sensor's own
  /// rate is known only within its tolerance.
  private func lossByClock(_ place: Int, _ nominal: Double) -> HiddenLoss? {
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
  var isOrdered: Bool { times.backward == 0 && times.duplicates == 0 }

  /// The times of the first and last rows in microseconds; `nil` if there are no rows, or if
  /// another epoch begins.
  var interval: ClosedRange<Int64>? {
    guard problem == nil, times.jumpCount == 0, let start = times.first, let end = times.last,
      start <= end, start.magnitude < 1 << 61, end.magnitude < 1 << 61
    else { return nil }
    return start...end
  }
}
