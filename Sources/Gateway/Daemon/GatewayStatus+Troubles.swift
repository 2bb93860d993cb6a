internal import BoardDriver
internal import Positioning
internal import Storage
internal import Values

/// Defines the rules that detect problems in a status, and the message for each kind of problem.
/// Every view of a status uses these messages.
///
/// Some messages are defined elsewhere: for adapters and ports in `+Help`, for refused walks in
/// `WalkingRule`, and for receivers in `ReceiverState`. An error contains its own message and
/// remedy.
extension GatewayStatus {
  /// Seconds without a sample before a board is reported as faulty. A lost link is usually restored
  /// sooner.
  static let silentSeconds = 10.0
  /// Seconds without a sample before a board is no longer considered to be sending.
  fileprivate static let dueSeconds = 3.0
  /// Seconds allowed for boards to reconnect after Bluetooth has become available again.
  private static let relinkSeconds = 15.0
  /// Seconds allowed for a recording to start before its boards are considered missing.
  private static let startSeconds = 60.0
  /// Seconds without a position before the status reports the problem. A first fix takes up to a
  /// minute.
  private static let positionSeconds = 90.0
  /// Seconds that a receiver may be missing before the status reports the problem. Some receivers
  /// reappear without intervention.
  private static let receiverSeconds = 5.0
  /// Seconds without a broker connection before the status reports the problem. The first retry
  /// comes within a second.
  private static let brokerSeconds = 5.0
  /// The battery charge, in percent, at or below which a warning is shown. The remaining charge
  /// lasts for a few hours.
  public static let lowBattery = 15
  /// A warning is shown if the disk will be full within this number of days.
  private static let fewDays = 3.0

  /// Fills in the problems, faults first, and each board's condition.
  mutating func judge() {
    let single = [bluetoothTrouble, recordingTrouble, pauseTrouble].compactMap { $0 }
    let all =
      adapterTroubles + single + boardTroubles + mountingTroubles + receiverTroubles
      + storeTroubles + clockTroubles + configurationTroubles + uploadTroubles + sharingTroubles
    troubles = all.filter { $0.level == .fault } + all.filter { $0.level == .warning }
    for index in boards.indices { boards[index].condition = condition(of: boards[index]) }
  }

  private var isWanted: Bool { recording.phase != .waiting }

  // MARK: Bluetooth

  /// The Bluetooth problem, or `nil` if Bluetooth works. While samples still arrive, the problem
  /// counts only as a warning, even though no new board can be connected.
  private var bluetoothTrouble: Trouble? {
    guard isWanted, let bluetooth, let obstacle = bluetooth.obstacle else { return nil }
    let isSending =
      recording.phase == .recording
      && boards.allSatisfy {
        !$0.phase.isUnlinked && ($0.sampleAge ?? .infinity) < Self.silentSeconds
      }
    return Trouble(
      isSending ? .warning : .fault, "bluetooth", obstacle, for: bluetooth.age,
      remedy: bluetooth.remedy)
  }

  /// The faults of adapters that no recovery step could fix.
  private var adapterTroubles: [Trouble] {
    guard isWanted, bluetooth?.obstacle == nil else { return [] }
    return adapters.compactMap { adapter in
      guard let complaint = adapter.complaint else { return nil }
      let problem = adapter.help.problem
      return Trouble(
        .fault, "bluetooth", "\(complaint) (\(adapter.help.words))",
        remedy: problem?.remedy ?? "",
        problem == .notOnUSB
          ? "restart the computer; if that does not help, use a USB adapter"
          : "unplug the adapter and plug it in again; if that does not help, use another adapter")
    }
  }

  /// Whether the recovery steps failed for every adapter. Boards that send nothing are then only a
  /// symptom.
  private var areAdaptersHelpless: Bool {
    !adapters.isEmpty && adapters.allSatisfy { $0.complaint != nil }
  }

  // MARK: The recording

  private var recordingTrouble: Trouble? {
    func fault(_ text: String, for age: Double? = nil, remedy: String) -> Trouble {
      Trouble(.fault, "recording", text, for: age, remedy: remedy)
    }
    guard !boards.isEmpty else {
      return fault(
        "the configuration lists no boards",
        remedy: "add [board NAME] with its address, which 'footbridge scan' shows")
    }
    let (failure, age) = (recording.failure, recording.phaseAge)
    switch recording.phase {
    // The obstacle explains why nothing is recorded, and the status already reports this obstacle.
    case .retrying where bluetooth?.obstacle != nil, .starting where bluetooth?.obstacle != nil,
      .starting where areAdaptersHelpless:
      return nil
    case .retrying:
      return fault(failure?.text ?? "it has ended", for: age, remedy: failure?.remedy ?? "")
    case .starting where age >= Self.startSeconds:
      return fault(
        failure?.text ?? "no board has started", for: age,
        remedy: failure?.remedy ?? "press the boards' buttons, and move them closer")
    case .standby:
      return recording.standby?.refusal.map { fault($0.text, remedy: $0.remedy) }
    case .starting, .recording, .waiting, .ending: return nil
    }
  }

  /// Warns about a pause, because the rest of the walk is lost if the user forgets to resume.
  private var pauseTrouble: Trouble? {
    recording.pause.map { pause in
      Trouble(
        .warning, "recording", "it is paused, and no samples are stored", for: pause,
        remedy: "continue with 'footbridge resume'")
    }
  }

  // MARK: Boards

  private var boardTroubles: [Trouble] {
    guard isRecording else { return [] }
    return boards.flatMap { board in
      [fault(of: board), lowBattery(of: board)].compactMap { $0 }
    }
  }

  private var mountingTroubles: [Trouble] {
    guard isRecording else { return [] }
    return mountings.map(\.fault).map { fault in
      Trouble(
        .warning, fault.subject, fault.text,
        remedy: fault.remedy(in: recording.session.map { "\($0)" } ?? "last"))
    }
  }

  private var isRecording: Bool { [.recording, .standby].contains(recording.phase) }

  private func fault(of board: Board) -> Trouble? {
    silentSensors(of: board) ?? silence(of: board)
  }

  /// Returns the board's fault or, if the board has none, its current activity.
  private func condition(of board: Board) -> Trouble {
    if isRecording, let fault = fault(of: board) { return fault }
    return switch board.phase {
    case _ where board.isCrowdedOut, .failed: absence(of: board, .fault)
    // Starting takes time, and no board can be found without Bluetooth.
    case .missing where isStarting || isWithoutBluetooth: absence(of: board, .unknown)
    case .missing: absence(of: board, .fault)
    case .reconnecting: absence(of: board, .warning)
    case .streaming where board.sampleAge == nil:
      Trouble(.unknown, board.name, "it is set up and waiting for the other boards")
    case .streaming where board.isHeard: Trouble(.ok, board.name, "it is sending samples")
    case .streaming: absence(of: board, .warning, for: board.sampleAge)
    case .watching: Trouble(.ok, board.name, "it is waiting for someone to walk")
    case .connecting: Trouble(.unknown, board.name, "it is connecting")
    case .identifying: Trouble(.unknown, board.name, "it is being set up")
    case .stopping: Trouble(.unknown, board.name, "it is being stopped")
    case .finished: Trouble(.unknown, board.name, "it has stopped")
    case .idle: Trouble(.unknown, board.name, "it is not in use")
    }
  }

  /// Returns the reason why a board sends no samples, and the remedy, even if its silence is not
  /// yet considered a fault.
  private func absence(
    of board: Board, _ level: Trouble.Level, for age: Double? = nil
  ) -> Trouble {
    let (text, remedy) = words(for: board)
    // While no board can be connected, the Bluetooth remedy is already shown.
    let hasRemedy = !board.phase.isUnlinked || !isWithoutBluetooth
    return Trouble(
      level, board.name, text, for: age ?? board.phaseAge, remedy: hasRemedy ? remedy : "")
  }

  private var isStarting: Bool {
    recording.phase == .starting && recording.phaseAge < Self.startSeconds
  }

  private var isWithoutBluetooth: Bool { bluetooth?.obstacle != nil || areAdaptersHelpless }

  private func lowBattery(of board: Board) -> Trouble? {
    guard let charge = board.battery, charge <= Self.lowBattery else { return nil }
    return Trouble(.warning, board.name, "its battery is at \(charge) %", remedy: "charge it")
  }

  /// Seconds since Bluetooth came back during the recording, or `nil` once the boards have had time
  /// to reconnect.
  private var secondsBack: Double? {
    guard let bluetooth, bluetooth.obstacle == nil,
      bluetooth.age < min(Self.relinkSeconds, recording.phaseAge)
    else { return nil }
    return bluetooth.age
  }

  private func silence(of board: Board) -> Trouble? {
    let age = board.sampleAge ?? recording.phaseAge
    guard board.phase != .watching, age >= Self.silentSeconds, !areAdaptersHelpless else {
      return nil
    }
    // While no board can be connected, the Bluetooth remedy is already shown.
    if bluetooth?.obstacle != nil, board.phase.isUnlinked { return nil }
    if let back = secondsBack, !board.isCrowdedOut, board.phase != .failed {
      return Trouble(
        .fault, board.name, "it is reconnecting", for: back,
        remedy: "wait a few seconds: Bluetooth is back")
    }
    let (text, remedy) = words(for: board)
    return Trouble(.fault, board.name, text, for: age, remedy: remedy)
  }

  /// Returns the reason why a board sends no samples, and the remedy.
  private func words(for board: Board) -> (text: String, remedy: String) {
    switch board.phase {
    case _ where board.isCrowdedOut:
      (
        "all Bluetooth adapters are full",
        "plug in another Bluetooth adapter, or use fewer boards"
      )
    case .reconnecting:
      ("its link is lost", "move it closer, charge it, and check that no phone is connected to it")
    case .missing, .connecting:
      ("it was not found", "press its button, charge it, and move it closer")
    case .failed:
      ("the gateway stopped trying to record it", "find the reason with 'footbridge doctor'")
    case .idle, .identifying, .streaming, .watching, .stopping, .finished:
      ("it is not sending samples", "press its button; if that does not help, charge it")
    }
  }

  /// Returns the fault of a board that answers requests but sends no samples. Its link and the
  /// adapter work.
  private func silentSensors(of board: Board) -> Trouble? {
    // Allow time for the first sample on a new link.
    guard board.phase != .watching, board.isAnswering, board.phaseAge >= Self.silentSeconds else {
      return nil
    }
    let silent = board.streams.filter { $0.silence ?? 0 >= Self.silentSeconds }
    guard !silent.isEmpty else { return nil }
    return Trouble(
      .fault, board.name,
      "it responds, but sends no "
        + silent.map { $0.signal.replacing("_", by: " ") }.joined(separator: ", "),
      for: silent.compactMap(\.silence).max(), remedy: BoardSession.brokenSensor)
  }

  // MARK: Receiver and clock

  private var receiverTroubles: [Trouble] {
    guard let receiver, isWanted, let state = receiver.state, !state.isCurrent else { return [] }
    // A missing receiver is reported within seconds; a receiver that is searching for satellites
    // needs time.
    let isAway = state.isLoss && (receiver.stateAge ?? 0) >= Self.receiverSeconds
    guard isAway || positionAge >= Self.positionSeconds else { return [] }
    let tried = receiver.isHelpless ? "; \(receiver.help.words)" : ""
    return [
      Trouble(
        .fault, "receiver",
        "there is no position (\(receiver.problem?.text ?? state.rawValue)\(tried))",
        for: isAway ? receiver.stateAge : positionAge,
        remedy: receiver.problem?.remedy ?? state.remedy, receiver.help.problem?.remedy ?? "")
    ]
  }

  /// Seconds since the last position or, before the first position, since the recording entered its
  /// current phase.
  private var positionAge: Double { receiver?.fixAge ?? recording.phaseAge }

  private var clockTroubles: [Trouble] {
    guard !clock.isSynchronised, !isDatedByReceiver else { return [] }
    return [
      Trouble(
        .warning, "clock", "it is not synchronised, so dates may be wrong",
        remedy: "connect to a network, or place the receiver under the open sky")
    ]
  }

  /// Whether satellites provide the time, or soon will. While nothing is recorded, an inaccurate
  /// clock affects only the recording hours.
  private var isDatedByReceiver: Bool {
    guard let receiver else { return false }
    if !isWanted, recording.rule.time == .hours { return false }
    return !isWanted || receiver.isCurrent || positionAge < Self.positionSeconds
  }

  // MARK: Store, configuration and page

  private var storeTroubles: [Trouble] {
    let volatile = volatileStore.map { Trouble(.fault, "store", $0.text, remedy: $0.remedy) }
    return [volatile, spaceTrouble].compactMap { $0 }
  }

  private var spaceTrouble: Trouble? {
    guard let store else { return nil }
    let remedy = "free some space; 'footbridge store space' shows what can be deleted"
    switch store.space {
    case .full:
      return Trouble(
        .fault, "store", "no space is left for recordings", for: store.spaceAge, remedy: remedy)
    case .low:
      return Trouble(
        .warning, "store", "little space is left for recordings", for: store.spaceAge,
        remedy: remedy)
    case .ok:
      guard let days = store.daysLeft, days < Self.fewDays else { return nil }
      return Trouble(
        .warning, "store", "the disk will be full in \(Int(days * 24)) h", remedy: remedy)
    }
  }

  private var configurationTroubles: [Trouble] {
    let unread = refusedConfiguration.map {
      Trouble(
        .warning, "configuration", "it was not reloaded: \($0.text)", for: $0.age,
        remedy: $0.remedy)
    }
    let unserved = missingPage.map {
      Trouble(
        .warning, "page", "it is not being served: \($0.text)", for: $0.age, remedy: $0.remedy)
    }
    return [unread, unserved].compactMap { $0 }
  }

  // MARK: Destinations and fleet

  private var uploadTroubles: [Trouble] {
    unknownDestinations.map { name in
      Trouble(
        .warning, name, "the store has no destination with this name",
        remedy: "\(StoredDestination.addition(of: name)), or correct the configuration")
    }
      + uploads.flatMap { [rest(of: $0), refusals(of: $0)].compactMap { $0 } }
  }

  private func rest(of upload: Upload) -> Trouble? {
    guard !upload.error.isEmpty else { return nil }
    let test =
      "try the connection with 'footbridge destination test "
      + "\(ShellText.quoted(upload.destination))'"
    return Trouble(
      .warning, upload.destination, upload.failure.text, for: upload.successAge,
      remedy: upload.failure.remedy, test)
  }

  private func refusals(of upload: Upload) -> Trouble? {
    guard upload.parked > 0 else { return nil }
    return Trouble(
      .warning, upload.destination, "it rejected \(upload.parked) chunks",
      remedy: "list the reasons with 'footbridge uploads'")
  }

  private var sharingTroubles: [Trouble] {
    guard let failure = sharing?.failure, failure.age >= Self.brokerSeconds else { return [] }
    return [
      Trouble(.warning, "sharing", failure.text, for: failure.age, remedy: failure.remedy)
    ]
  }
}

extension GatewayStatus.Board {
  /// Whether the battery charge and the signal strength are current.
  var isHeard: Bool {
    switch phase {
    case .streaming: (sampleAge ?? 0) < GatewayStatus.dueSeconds
    case .identifying, .watching, .stopping: true
    case .idle, .connecting, .missing, .reconnecting, .finished, .failed: false
    }
  }

  var reception: String? { rssi.map { $0 > -70 ? "good" : $0 > -85 ? "fair" : "weak" } }
}

extension GatewayStatus.Upload {
  /// The error's first line is the reason; the other lines are the remedy.
  var failure: (text: String, remedy: String) {
    let lines = error.split(separator: "\n", maxSplits: 1).map(String.init)
    return (lines.first ?? "", lines.count > 1 ? lines[1] : "")
  }

  var activity: String {
    if !isEnabled { return "switched off" }
    return error.isEmpty ? waiting > 0 ? "sends" : "has received everything" : "rests"
  }
}

extension GatewayStatus.Trouble {
  /// Joins the remedies that are not empty, one per line.
  fileprivate init(
    _ level: Level, _ subject: String, _ text: String, for age: Double? = nil, remedy: String...
  ) {
    self.init(
      level: level, subject: subject, text: text, age: age,
      remedy: remedy.filter { !$0.isEmpty }.joined(separator: "\n"))
  }
}
