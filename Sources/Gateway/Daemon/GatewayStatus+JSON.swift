internal import Positioning
internal import Recording
internal import Storage
public import Values

/// The status as one JSON object, and back. A value that is not known is `null`.
extension GatewayStatus {
  /// The object.
  public var json: JSONValue {
    [
      "works": .bool(works), "level": .string(level.rawValue), "verdict": .string(verdict),
      "summary": .string(sentence), "phone": PhoneWords.json(news, ""),
      "version": .string(version),
      "uptime": Self.seconds(uptime), "troubles": .array(troubles.map(\.json)),
      "recording": recording.json, "boards": .array(boards.map(\.json)),
      "bluetooth": bluetooth?.json ?? .null, "adapters": .array(adapters.map(\.json)),
      "receiver": receiver?.json ?? .null,
      "clock": clock.json, "store": store?.json ?? .null,
      "uploads": .array(uploads.map(\.json)),
      "unknownDestinations": .array(unknownDestinations.map { .string($0) }),
      "sharing": sharing?.json ?? .null,
      "refusedConfiguration": refusedConfiguration?.json ?? .null,
      "missingPage": missingPage?.json ?? .null,
      "volatileStore": volatileStore?.json ?? .null,
    ]
  }

  /// The status that an object describes; `nil` if it describes none. Unknown members are ignored.
  public init?(_ json: JSON) {
    guard let recording = json["recording"].flatMap(Recording.init),
      let clock = json["clock"].flatMap(Clock.init)
    else { return nil }
    self.init(
      version: json["version"]?.text ?? "", uptime: json["uptime"]?.number ?? 0,
      recording: recording, boards: json["boards"]?.list?.compactMap(Board.init) ?? [],
      bluetooth: json["bluetooth"].flatMap(Bluetooth.init),
      adapters: json["adapters"]?.list?.compactMap(Adapter.init) ?? [],
      receiver: json["receiver"].flatMap(Receiver.init), clock: clock,
      store: json["store"].flatMap(Store.init),
      uploads: json["uploads"]?.list?.compactMap(Upload.init) ?? [],
      unknownDestinations: json["unknownDestinations"]?.list?.compactMap(\.text) ?? [],
      sharing: json["sharing"].flatMap(Sharing.init),
      refusedConfiguration: json["refusedConfiguration"].flatMap(Failure.init),
      missingPage: json["missingPage"].flatMap(Failure.init),
      volatileStore: json["volatileStore"].flatMap(Failure.init),
      troubles: json["troubles"]?.list?.compactMap(Trouble.init) ?? [])
  }

  /// Seconds to the millisecond.
  fileprivate static func seconds(_ seconds: Double?) -> JSONValue {
    seconds.map { .number(($0 * 1_000).rounded() / 1_000) } ?? .null
  }

  fileprivate static func integer(_ number: (some BinaryInteger)?) -> JSONValue {
    number.map { .integer(Int64(clamping: $0)) } ?? .null
  }
}

extension GatewayStatus.Recording {
  fileprivate var json: JSONValue {
    [
      "phase": .string(phase.rawValue), "phaseAge": GatewayStatus.seconds(phaseAge),
      "rule": .string(rule.description), "when": .string(when), "isStopped": .bool(isStopped),
      "pause": GatewayStatus.seconds(pause), "session": session.map { .string("\($0)") } ?? .null,
      "elapsed": GatewayStatus.seconds(elapsed), "restarts": GatewayStatus.integer(restarts),
      "failure": failure?.json ?? .null, "standby": standby?.json ?? .null,
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let phase = json["phase"]?.text.flatMap(GatewayStatus.Phase.init) else { return nil }
    self.init(
      phase: phase, phaseAge: json["phaseAge"]?.number ?? 0,
      rule: json["rule"]?.text.flatMap(RecordingWish.Rule.init) ?? RecordingWish.Rule(),
      isStopped: json["isStopped"]?.bool ?? false, pause: json["pause"]?.number,
      session: json["session"]?.text.flatMap { UniqueID(Substring($0)) },
      standby: json["standby"].flatMap(LiveStatus.Standby.init),
      elapsed: json["elapsed"]?.number ?? 0, restarts: json["restarts"]?.integer ?? 0,
      failure: json["failure"].flatMap(GatewayStatus.Failure.init))
  }
}

extension LiveStatus.Standby {
  fileprivate var json: JSONValue {
    [
      "lead": GatewayStatus.seconds(lead), "held": GatewayStatus.seconds(held),
      "isWalk": .bool(isWalk), "isStopped": .bool(isStopped),
      "refusal": refusal?.json ?? .null,
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let lead = json["lead"]?.number, let held = json["held"]?.number else { return nil }
    self.init(
      lead: lead, held: held, isWalk: json["isWalk"]?.bool ?? false,
      isStopped: json["isStopped"]?.bool ?? false,
      refusal: json["refusal"].flatMap(LiveStatus.Obstacle.init))
  }
}

extension LiveStatus.Obstacle {
  fileprivate var json: JSONValue {
    [
      "text": .string(text), "remedy": .string(remedy), "phone": PhoneWords.json(text, remedy),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let text = json["text"]?.text else { return nil }
    self.init(text: text, remedy: json["remedy"]?.text ?? "")
  }
}

extension GatewayStatus.Failure {
  fileprivate var json: JSONValue {
    [
      "text": .string(text), "remedy": .string(remedy), "age": GatewayStatus.seconds(age),
      "phone": PhoneWords.json(text, remedy),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let text = json["text"]?.text else { return nil }
    self.init(
      text: text, remedy: json["remedy"]?.text ?? "",
      age: json["age"]?.number ?? 0)
  }
}

extension GatewayStatus.Board {
  fileprivate var json: JSONValue {
    [
      "address": .string("\(address)"), "name": .string(name), "phase": .string(phase.rawValue),
      "phaseAge": GatewayStatus.seconds(phaseAge),
      "sampleAge": GatewayStatus.seconds(sampleAge),
      "battery": GatewayStatus.integer(battery), "rssi": GatewayStatus.integer(rssi),
      "isAnswering": .bool(isAnswering), "isCrowdedOut": .bool(isCrowdedOut),
      "streams": .array(streams.map(\.json)),
      "sensorStarts": GatewayStatus.integer(help.starts),
      "links": GatewayStatus.integer(help.links), "isHeard": .bool(isHeard),
      "reception": reception.map { .string($0) } ?? .null, "condition": condition?.json ?? .null,
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let address = json["address"]?.text.flatMap(BoardAddress.init) else { return nil }
    self.init(
      address: address, name: json["name"]?.text ?? "",
      phase: json["phase"]?.text.flatMap(LiveStatus.BoardPhase.init) ?? .idle,
      phaseAge: json["phaseAge"]?.number ?? 0, sampleAge: json["sampleAge"]?.number,
      battery: json["battery"]?.integer, rssi: json["rssi"]?.integer,
      isAnswering: json["isAnswering"]?.bool ?? false,
      isCrowdedOut: json["isCrowdedOut"]?.bool ?? false,
      streams: json["streams"]?.list?.compactMap(GatewayStatus.Stream.init) ?? [])
    help.starts = json["sensorStarts"]?.integer ?? 0
    help.links = json["links"]?.integer ?? 0
    condition = json["condition"].flatMap(GatewayStatus.Trouble.init)
  }
}

extension GatewayStatus.Stream {
  fileprivate var json: JSONValue {
    let reasons = LossReason.allCases.compactMap { reason in
      lost[reason].map { JSONValue.Member(reason.name, GatewayStatus.integer($0)) }
    }
    return [
      "signal": .string(signal), "requestedRate": .number(requestedRate),
      "measuredRate": .number((measuredRate * 100).rounded() / 100),
      "received": GatewayStatus.integer(received), "lost": .object(reasons),
      "silence": GatewayStatus.seconds(silence), "missing": GatewayStatus.integer(missing),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let signal = json["signal"]?.text else { return nil }
    let lost = LossReason.allCases.compactMap { reason in
      json["lost"]?[reason.name]?.integer.map { (reason, UInt64(clamping: $0)) }
    }
    self.init(
      signal: signal, requestedRate: json["requestedRate"]?.number ?? 0,
      measuredRate: json["measuredRate"]?.number ?? 0,
      received: UInt64(clamping: json["received"]?.integer ?? 0),
      lost: Dictionary(uniqueKeysWithValues: lost), silence: json["silence"]?.number,
      missing: UInt64(clamping: json["missing"]?.integer ?? 0))
  }
}

extension GatewayStatus.Bluetooth {
  fileprivate var json: JSONValue {
    [
      "isReady": .bool(obstacle == nil), "obstacle": obstacle.map { .string($0) } ?? .null,
      "remedy": .string(remedy), "age": GatewayStatus.seconds(age),
      "phone": PhoneWords.json(obstacle ?? "", remedy),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let age = json["age"]?.number else { return nil }
    self.init(obstacle: json["obstacle"]?.text, remedy: json["remedy"]?.text ?? "", age: age)
  }
}

extension GatewayStatus.Adapter {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "switches": GatewayStatus.integer(help.switches),
      "portResets": GatewayStatus.integer(help.resets), "portProblem": help.problem?.json ?? .null,
      "complaint": complaint.map { .string($0) } ?? .null,
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let name = json["name"]?.text else { return nil }
    self.init(name: name, complaint: json["complaint"]?.text)
    help.switches = json["switches"]?.integer ?? 0
    help.resets = json["portResets"]?.integer ?? 0
    help.problem = json["portProblem"].flatMap(LiveStatus.Obstacle.init)
  }
}

extension GatewayStatus.Receiver {
  fileprivate var json: JSONValue {
    [
      "source": .string(source), "state": state.map { .string($0.rawValue) } ?? .null,
      "stateAge": GatewayStatus.seconds(stateAge), "isCurrent": .bool(isCurrent),
      "fixAge": GatewayStatus.seconds(fixAge),
      "portResets": GatewayStatus.integer(help.resets), "portProblem": help.problem?.json ?? .null,
      "isHelpless": .bool(isHelpless),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let source = json["source"]?.text else { return nil }
    self.init(
      source: source, state: json["state"]?.text.flatMap(ReceiverState.init),
      stateAge: json["stateAge"]?.number, fixAge: json["fixAge"]?.number)
    help.resets = json["portResets"]?.integer ?? 0
    help.problem = json["portProblem"].flatMap(LiveStatus.Obstacle.init)
    isHelpless = json["isHelpless"]?.bool ?? false
  }
}

extension GatewayStatus.Clock {
  fileprivate var json: JSONValue {
    [
      "isSynchronised": .bool(isSynchronised),
      "uncertainty": GatewayStatus.seconds(uncertainty),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let isSynchronised = json["isSynchronised"]?.bool else { return nil }
    self.init(isSynchronised: isSynchronised, uncertainty: json["uncertainty"]?.number)
  }
}

extension GatewayStatus.Store {
  fileprivate var json: JSONValue {
    [
      "path": .string(path), "used": GatewayStatus.integer(used),
      "free": GatewayStatus.integer(free), "space": .string(space.rawValue),
      "spaceAge": GatewayStatus.seconds(spaceAge),
      "bytesPerDay": GatewayStatus.integer(bytesPerDay),
      "daysLeft": daysLeft.map { .number(($0 * 10).rounded() / 10) } ?? .null,
      "age": GatewayStatus.seconds(age),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let path = json["path"]?.text else { return nil }
    func bytes(_ name: String) -> UInt64 { UInt64(max(0, json[name]?.number ?? 0)) }
    self.init(
      path: path, used: bytes("used"), free: bytes("free"),
      space: json["space"]?.text.flatMap(SpacePolicy.State.init) ?? .ok,
      spaceAge: json["spaceAge"]?.number ?? 0,
      bytesPerDay: bytes("bytesPerDay"), age: json["age"]?.number ?? 0)
  }
}

extension GatewayStatus.Upload {
  fileprivate var json: JSONValue {
    [
      "destination": .string(destination), "isEnabled": .bool(isEnabled),
      "sent": GatewayStatus.integer(sent), "waiting": GatewayStatus.integer(waiting),
      "waitingBytes": GatewayStatus.integer(waitingBytes),
      "parked": GatewayStatus.integer(parked),
      "successAge": GatewayStatus.seconds(successAge), "retry": GatewayStatus.seconds(retry),
      "error": .string(error), "age": GatewayStatus.seconds(age),
      "activity": .string(activity), "phone": PhoneWords.json(failure.text, failure.remedy),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let destination = json["destination"]?.text else { return nil }
    self.init(
      destination: destination, isEnabled: json["isEnabled"]?.bool ?? true,
      sent: json["sent"]?.integer ?? 0, waiting: json["waiting"]?.integer ?? 0,
      waitingBytes: UInt64(max(0, json["waitingBytes"]?.number ?? 0)),
      parked: json["parked"]?.integer ?? 0, successAge: json["successAge"]?.number,
      retry: json["retry"]?.number, error: json["error"]?.text ?? "",
      age: json["age"]?.number ?? 0)
  }
}

extension GatewayStatus.Sharing {
  fileprivate var json: JSONValue {
    [
      "broker": .string(broker), "share": .string(share.rawValue),
      "isConnected": .bool(isConnected),
      "failure": failure?.json ?? .null,
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let broker = json["broker"]?.text else { return nil }
    self.init(
      broker: broker, share: json["share"]?.text.flatMap(SharingPlan.Share.init) ?? .none,
      isConnected: json["isConnected"]?.bool ?? false,
      failure: json["failure"].flatMap(GatewayStatus.Failure.init))
  }
}

extension GatewayStatus.Trouble {
  fileprivate var json: JSONValue {
    [
      "level": .string(level.rawValue), "subject": .string(subject), "text": .string(text),
      "age": GatewayStatus.seconds(age), "remedy": .string(remedy),
      "phone": PhoneWords.json(text, remedy),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let level = json["level"]?.text.flatMap(Level.init) else { return nil }
    self.init(
      level: level, subject: json["subject"]?.text ?? "", text: json["text"]?.text ?? "",
      age: json["age"]?.number, remedy: json["remedy"]?.text ?? "")
  }
}
