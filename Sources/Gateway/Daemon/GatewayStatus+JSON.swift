internal import Positioning
internal import Recording
internal import Storage
package import Values

// Converts the status to a JSON object and back. An unknown value is `null`.

extension GatewayStatus: JSONMapped {
  package static var blank: Self {
    Self(version: "", uptime: 0, recording: .blank, clock: .blank)
  }
  package static var members: [JSONMember<Self>] {
    [
      .shown("works", \.works), .shown("level", \.level), .shown("verdict", \.verdict),
      .shown("summary", \.sentence), .shown("phone") { PhoneWords.json($0.news, "") },
      .value("version", \.version), .rounded("uptime", \.uptime), .value("troubles", \.troubles),
      .needed("recording", \.recording), .value("boards", \.boards),
      .value("bluetooth", \.bluetooth), .value("adapters", \.adapters),
      .value("receiver", \.receiver), .needed("clock", \.clock), .value("store", \.store),
      .value("uploads", \.uploads), .value("unknownDestinations", \.unknownDestinations),
      .value("sharing", \.sharing), .value("refusedConfiguration", \.refusedConfiguration),
      .value("missingPage", \.missingPage), .value("volatileStore", \.volatileStore),
      .value("mountings", \.mountings),
    ]
  }
}

extension GatewayStatus.Mounting: JSONMapped {
  package static var blank: Self { Self(fault: MountingFault(.loose, [], at: [])) }
  package static var members: [JSONMember<Self>] {
    [
      .needed("kind", \.fault.kind), .needed("boards", \.fault.boards),
      .value("places", \.fault.places), .value("degrees", \.fault.degrees),
      .shown("text", \.fault.text),
      .shown("phone") { PhoneWords.json($0.fault.text, $0.fault.remedy(in: "last")) },
    ]
  }
}

extension GatewayStatus.Recording: JSONMapped {
  package static var blank: Self { Self(phase: .waiting, phaseAge: 0, rule: RecordingWish.Rule()) }
  package static var members: [JSONMember<Self>] {
    [
      .needed("phase", \.phase), .rounded("phaseAge", \.phaseAge), .value("rule", \.rule),
      .shown("when", \.when), .value("isStopped", \.isStopped), .rounded("pause", \.pause),
      .value("session", \.session), .value("participant", \.participant),
      .rounded("elapsed", \.elapsed), .value("restarts", \.restarts),
      .value("failure", \.failure), .value("standby", \.standby),
    ]
  }
}

extension LiveStatus.Standby: JSONMapped {
  package static var blank: Self { Self(lead: 0, held: 0) }
  package static var members: [JSONMember<Self>] {
    [
      .rounded("lead", \.lead, isNeeded: true), .rounded("held", \.held, isNeeded: true),
      .value("isWalk", \.isWalk), .value("isStopped", \.isStopped), .value("refusal", \.refusal),
    ]
  }
}

extension LiveStatus.Obstacle: JSONMapped {
  package static var blank: Self { Self(text: "", remedy: "") }
  package static var members: [JSONMember<Self>] {
    [
      .needed("text", \.text), .value("remedy", \.remedy),
      .shown("phone") { PhoneWords.json($0.text, $0.remedy) },
    ]
  }
}

extension GatewayStatus.Failure: JSONMapped {
  package static var blank: Self { Self(text: "", remedy: "", age: 0) }
  package static var members: [JSONMember<Self>] {
    [
      .needed("text", \.text), .value("remedy", \.remedy), .rounded("age", \.age),
      .shown("phone") { PhoneWords.json($0.text, $0.remedy) },
    ]
  }
}

extension GatewayStatus.Board: JSONMapped {
  package static var blank: Self {
    Self(address: BoardAddress(value: 0), name: "", phase: .idle, phaseAge: 0)
  }
  package static var members: [JSONMember<Self>] {
    [
      .needed("address", \.address), .value("name", \.name), .value("phase", \.phase),
      .rounded("phaseAge", \.phaseAge), .rounded("sampleAge", \.sampleAge),
      .value("battery", \.battery), .value("rssi", \.rssi), .value("isAnswering", \.isAnswering),
      .value("isCrowdedOut", \.isCrowdedOut), .value("streams", \.streams),
      .value("sensorStarts", \.help.starts), .value("links", \.help.links),
      .shown("isHeard", \.isHeard), .shown("reception", \.reception),
      .value("condition", \.condition),
    ]
  }
}

extension GatewayStatus.Stream: JSONMapped {
  package static var blank: Self {
    Self(signal: "", requestedRate: 0, measuredRate: 0, received: 0)
  }
  package static var members: [JSONMember<Self>] {
    [
      .needed("signal", \.signal), .value("requestedRate", \.requestedRate),
      .rounded("measuredRate", \.measuredRate, decimals: 2), .value("received", \.received),
      .value("lost", \.lost), .rounded("silence", \.silence), .value("missing", \.missing),
    ]
  }
}

extension GatewayStatus.Bluetooth: JSONMapped {
  package static var blank: Self { Self(remedy: "", age: 0) }
  package static var members: [JSONMember<Self>] {
    [
      .shown("isReady") { $0.obstacle == nil }, .value("obstacle", \.obstacle),
      .value("remedy", \.remedy), .rounded("age", \.age, isNeeded: true),
      .shown("phone") { PhoneWords.json($0.obstacle ?? "", $0.remedy) },
    ]
  }
}

extension GatewayStatus.Adapter: JSONMapped {
  package static var blank: Self { Self(name: "") }
  package static var members: [JSONMember<Self>] {
    [
      .needed("name", \.name), .value("switches", \.help.switches),
      .value("portResets", \.help.resets), .value("portProblem", \.help.problem),
      .value("complaint", \.complaint),
    ]
  }
}

extension GatewayStatus.Receiver: JSONMapped {
  package static var blank: Self { Self(source: "") }
  package static var members: [JSONMember<Self>] {
    [
      .needed("source", \.source), .value("state", \.state), .rounded("stateAge", \.stateAge),
      .shown("isCurrent", \.isCurrent), .rounded("fixAge", \.fixAge),
      .value("portResets", \.help.resets), .value("portProblem", \.help.problem),
      .value("isHelpless", \.isHelpless), .value("problem", \.problem),
    ]
  }
}

extension GatewayStatus.Clock: JSONMapped {
  package static var blank: Self { Self(isSynchronised: false) }
  package static var members: [JSONMember<Self>] {
    [.needed("isSynchronised", \.isSynchronised), .rounded("uncertainty", \.uncertainty)]
  }
}

extension GatewayStatus.Store: JSONMapped {
  package static var blank: Self {
    Self(path: "", used: 0, free: 0, space: .ok, spaceAge: 0, bytesPerDay: 0, age: 0)
  }
  package static var members: [JSONMember<Self>] {
    [
      .needed("path", \.path), .value("used", \.used), .value("free", \.free),
      .value("space", \.space), .rounded("spaceAge", \.spaceAge),
      .value("bytesPerDay", \.bytesPerDay),
      .shown("daysLeft") { $0.daysLeft.json(decimals: 1) }, .rounded("age", \.age),
    ]
  }
}

extension GatewayStatus.Upload: JSONMapped {
  package static var blank: Self {
    Self(
      destination: "", isEnabled: true, sent: 0, waiting: 0, waitingBytes: 0, parked: 0, error: "",
      age: 0)
  }
  package static var members: [JSONMember<Self>] {
    [
      .needed("destination", \.destination), .value("isEnabled", \.isEnabled),
      .value("sent", \.sent), .value("waiting", \.waiting), .value("waitingBytes", \.waitingBytes),
      .value("parked", \.parked), .rounded("successAge", \.successAge), .rounded("retry", \.retry),
      .value("error", \.error), .rounded("age", \.age), .shown("activity", \.activity),
      .shown("phone") { PhoneWords.json($0.failure.text, $0.failure.remedy) },
    ]
  }
}

extension GatewayStatus.Sharing: JSONMapped {
  package static var blank: Self { Self(broker: "", share: .none, isConnected: false) }
  package static var members: [JSONMember<Self>] {
    [
      .needed("broker", \.broker), .value("share", \.share), .value("isConnected", \.isConnected),
      .value("failure", \.failure),
    ]
  }
}

extension GatewayStatus.Trouble: JSONMapped {
  package static var blank: Self { Self(level: .ok, subject: "", text: "", remedy: "") }
  package static var members: [JSONMember<Self>] {
    [
      .needed("level", \.level), .value("subject", \.subject), .value("text", \.text),
      .rounded("age", \.age), .value("remedy", \.remedy),
      .shown("phone") { PhoneWords.json($0.text, $0.remedy) },
    ]
  }
}

extension GatewayStatus.Phase: JSONReadable {}
extension GatewayStatus.Trouble.Level: JSONReadable {}
extension LiveStatus.BoardPhase: JSONReadable {}
extension MountingFault.Kind: JSONReadable {}
extension ReceiverState: JSONReadable {}
extension SharingPlan.Share: JSONReadable {}
extension SpacePolicy.State: JSONReadable {}
extension RecordingWish.Rule: JSONDescribed {}
