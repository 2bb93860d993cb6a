internal import BoardDriver
internal import Positioning
internal import Storage
internal import Values

/// The rules by which a status is judged.
extension GatewayStatus {
  /// Seconds after which a board that should send and does not is a fault: a lost link is usually
  /// replaced sooner.
  static let silentSeconds = 10.0
  /// Seconds after the return of Bluetooth in which boards are linked again.
  static let relinkSeconds = 15.0
  /// Seconds that a start may take before its boards count as missing.
  static let startSeconds = 60.0
  /// Seconds without a position after which it is a trouble: a first fix takes up to a minute.
  static let positionSeconds = 90.0
  /// Seconds after which a receiver that is away is a trouble: some return by themselves.
  static let receiverSeconds = 5.0
  /// Percent of a battery that last for some hours.
  static let lowBattery = 15
  /// Days of room below which a person should make some.
  static let fewDays = 3.0

  /// Judges the status: its troubles, faults first.
  mutating func judge() {
    let all =
      bluetoothTroubles + adapterTroubles + recordingTroubles + pauseTroubles + boardTroubles
      + receiverTroubles + storeTroubles
      + clockTroubles + configurationTroubles + uploadTroubles + sharingTroubles
    troubles = all.filter { $0.level == .fault } + all.filter { $0.level == .warning }
  }

  private var isWanted: Bool { recording.phase != .waiting }

  /// Samples may still come when nothing new can be linked: then it is a warning.
  private var bluetoothTroubles: [Trouble] {
    guard isWanted, let bluetooth, let obstacle = bluetooth.obstacle else { return [] }
    let isSending =
      recording.phase == .recording
      && boards.allSatisfy {
        !Self.unlinked.contains($0.phase) && ($0.sampleAge ?? .infinity) < Self.silentSeconds
      }
    return [
      Trouble(
        level: isSending ? .warning : .fault, subject: "bluetooth", text: obstacle,
        age: bluetooth.age, remedy: bluetooth.remedy)
    ]
  }

  private var recordingTroubles: [Trouble] {
    guard !boards.isEmpty else {
      return [
        Trouble(
          level: .fault, subject: "recording", text: "the configuration names no board", age: nil,
          remedy: "add [board NAME] with its address, which 'footbridge scan' shows")
      ]
    }
    switch recording.phase {
    // The obstacle is the reason, and is named already.
    case .retrying where bluetooth?.obstacle != nil, .starting where bluetooth?.obstacle != nil:
      return []
    case .retrying:
      let failure = recording.failure
      return [
        Trouble(
          level: .fault, subject: "recording", text: failure?.text ?? "it has ended",
          age: recording.phaseAge, remedy: failure?.remedy ?? "")
      ]
    case .starting where areAdaptersHelpless: return []
    case .starting where recording.phaseAge >= Self.startSeconds:
      return [
        Trouble(
          level: .fault, subject: "recording",
          text: recording.failure?.text ?? "no board has started", age: recording.phaseAge,
          remedy: recording.failure?.remedy
            ?? "press the boards' buttons, and bring them nearer")
      ]
    case .standby:
      return recording.standby?.refusal.map { refusal in
        [
          Trouble(
            level: .fault, subject: "recording", text: refusal.text, age: nil,
            remedy: refusal.remedy)
        ]
      } ?? []
    case .starting, .recording, .waiting, .ending: return []
    }
  }

  /// A pause that is forgotten costs the rest of a walk.
  private var pauseTroubles: [Trouble] {
    guard let pause = recording.pause else { return [] }
    return [
      Trouble(
        level: .warning, subject: "recording", text: "a person paused it, and no sample is kept",
        age: pause, remedy: "'footbridge resume' goes on with it")
    ]
  }

  private var boardTroubles: [Trouble] {
    guard [.recording, .standby].contains(recording.phase) else { return [] }
    return boards.flatMap { board -> [Trouble] in
      var troubles: [Trouble] = []
      if let trouble = silence(of: board) { troubles.append(trouble) }
      if let charge = board.battery, charge <= Self.lowBattery {
        troubles.append(
          Trouble(
            level: .warning, subject: board.name, text: "its battery has \(charge) %", age: nil,
            remedy: "charge it"))
      }
      return troubles
    }
  }

  /// The phases of boards without a link.
  private static let unlinked = ["idle", "reconnecting", "missing", "connecting"]

  /// Seconds since Bluetooth came back during the recording; `nil` when its boards have had the
  /// time to be linked again.
  private var secondsBack: Double? {
    guard let bluetooth, bluetooth.obstacle == nil,
      bluetooth.age < min(Self.relinkSeconds, recording.phaseAge)
    else { return nil }
    return bluetooth.age
  }

  private func silence(of board: Board) -> Trouble? {
    guard board.phase != LiveStatus.BoardPhase.watching.rawValue else { return nil }
    if let trouble = silentSensors(of: board) { return trouble }
    let age = board.sampleAge ?? recording.phaseAge
    guard age >= Self.silentSeconds else { return nil }
    // The remedy for a board that cannot be linked is that for Bluetooth, which is named already.
    if bluetooth?.obstacle != nil, Self.unlinked.contains(board.phase) { return nil }
    if areAdaptersHelpless { return nil }
    let isGivenUp = board.phase == LiveStatus.BoardPhase.failed.rawValue
    if let back = secondsBack, !board.isCrowdedOut, !isGivenUp {
      return Trouble(
        level: .fault, subject: board.name, text: "it is being linked again", age: back,
        remedy: "wait some seconds: Bluetooth is back")
    }
    let (text, remedy) =
      switch board.phase {
      case _ where board.isCrowdedOut:
        (
          "every Bluetooth adapter has all the boards it takes",
          "plug in another Bluetooth adapter, or use fewer boards"
        )
      case "reconnecting":
        (
          "its link is lost",
          "bring it nearer, charge it, and check that no phone is connected to it"
        )
      case "missing", "connecting":
        ("it was not found", "press its button, charge it, and bring it nearer")
      case "failed": ("the gateway gave up on it", "'footbridge doctor' looks for the reason")
      default: ("it sends no samples", "press its button; if that does not help, charge it")
      }
    return Trouble(level: .fault, subject: board.name, text: text, age: age, remedy: remedy)
  }

  /// A board that answers and does not send proves that neither its link nor the adapter is the
  /// cause.
  private func silentSensors(of board: Board) -> Trouble? {
    // A new link has its time for the first sample.
    guard board.isAnswering, board.phaseAge >= Self.silentSeconds else { return nil }
    let silent = board.streams.filter { $0.silence ?? 0 >= Self.silentSeconds }
    guard !silent.isEmpty else { return nil }
    return Trouble(
      level: .fault, subject: board.name,
      text: "it answers, but sends no \(silent.map(\.signal).joined(separator: ", "))",
      age: silent.compactMap(\.silence).max(), remedy: BoardSession.brokenSensor)
  }

  private var receiverTroubles: [Trouble] {
    guard let receiver, isWanted, let state = receiver.state, !receiver.isCurrent else { return [] }
    let known = ReceiverState(rawValue: state)
    // A receiver that is away is known at once; one that searches is given its time.
    let isAway = known?.isLoss == true && (receiver.stateAge ?? 0) >= Self.receiverSeconds
    guard isAway || positionAge >= Self.positionSeconds else { return [] }
    let tried = receiver.isHelpless ? "; \(receiver.help.words)" : ""
    return [
      Trouble(
        level: .fault, subject: "receiver", text: "there is no position (\(state)\(tried))",
        age: isAway ? receiver.stateAge : positionAge,
        remedy: [(known ?? .searching).remedy, receiver.help.problem?.remedy ?? ""]
          .filter { !$0.isEmpty }.joined(separator: "\n"))
    ]
  }

  /// Seconds since the last position, or without one.
  private var positionAge: Double { receiver?.fixAge ?? recording.phaseAge }

  private var storeTroubles: [Trouble] { volatileTroubles + spaceTroubles }

  private var volatileTroubles: [Trouble] {
    guard let volatileStore else { return [] }
    return [
      Trouble(
        level: .fault, subject: "store", text: volatileStore.text, age: nil,
        remedy: volatileStore.remedy)
    ]
  }

  private var spaceTroubles: [Trouble] {
    guard let store else { return [] }
    let remedy = "free some space; 'footbridge store space' says what may be deleted"
    switch store.space {
    case "full":
      return [
        Trouble(
          level: .fault, subject: "store", text: "the disk is full", age: store.spaceAge,
          remedy: remedy)
      ]
    case "low":
      return [
        Trouble(
          level: .warning, subject: "store", text: "the disk is nearly full", age: store.spaceAge,
          remedy: remedy)
      ]
    default:
      guard let days = store.daysLeft, days < Self.fewDays else { return [] }
      return [
        Trouble(
          level: .warning, subject: "store",
          text: "the disk is full in \(Int(days * 24)) h", age: nil, remedy: remedy)
      ]
    }
  }

  private var clockTroubles: [Trouble] {
    guard !clock.isSynchronised, !isDatedByReceiver else { return [] }
    return [
      Trouble(
        level: .warning, subject: "clock", text: "it is not synchronised, so dates may be wrong",
        age: nil, remedy: "connect to a network, or take the receiver under the open sky")
    ]
  }

  /// Whether satellites give the time, or will soon. While nothing is recorded only hours depend on
  /// the clock.
  private var isDatedByReceiver: Bool {
    guard let receiver else { return false }
    guard isWanted else { return !isByHours }
    return receiver.isCurrent || positionAge < Self.positionSeconds
  }

  /// Whether the rule is hours, which alone are written with a colon.
  var isByHours: Bool { recording.rule.contains(":") }

  private var configurationTroubles: [Trouble] {
    let unread = refusedConfiguration.map {
      Trouble(
        level: .warning, subject: "configuration", text: "it was not read again: \($0.text)",
        age: $0.age, remedy: $0.remedy)
    }
    let unserved = missingPage.map {
      Trouble(
        level: .warning, subject: "page", text: "it is not served: \($0.text)", age: $0.age,
        remedy: $0.remedy)
    }
    return [unread, unserved].compactMap { $0 }
  }

  private var uploadTroubles: [Trouble] {
    unknownDestinations.map { name in
      Trouble(
        level: .warning, subject: name, text: "the store knows no destination of this name",
        age: nil,
        remedy: "\(StoredDestination.addition(of: name)), or correct the configuration")
    }
      + storedUploadTroubles
  }

  private var sharingTroubles: [Trouble] {
    guard let failure = sharing?.failure, failure.age >= SharingKeeper.troubleSeconds else {
      return []
    }
    return [
      Trouble(
        level: .warning, subject: "sharing", text: failure.text, age: failure.age,
        remedy: failure.remedy)
    ]
  }

  private var storedUploadTroubles: [Trouble] {
    uploads.flatMap { upload -> [Trouble] in
      var troubles: [Trouble] = []
      if !upload.error.isEmpty {
        // The first line is the reason, the others are the remedy.
        let lines = upload.error.split(separator: "\n", maxSplits: 1).map(String.init)
        let test =
          "'footbridge destination test \(ShellText.quoted(upload.destination))' tries the connection"
        troubles.append(
          Trouble(
            level: .warning, subject: upload.destination, text: lines[0], age: upload.successAge,
            remedy: (lines.dropFirst() + [test]).joined(separator: "\n")))
      }
      if upload.parked > 0 {
        troubles.append(
          Trouble(
            level: .warning, subject: upload.destination,
            text: "it refuses \(upload.parked) chunks", age: nil,
            remedy: "'footbridge uploads' shows the reasons"))
      }
      return troubles
    }
  }
}
