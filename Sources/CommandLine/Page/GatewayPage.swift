internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values
internal import Web

/// The content of the page that a running gateway serves.
struct GatewayPage: LookingPage {
  let daemon: GatewayDaemon
  let gateway: String
  let store: StoreAnswers
  let look: PageLook

  var kind: PageKind { .gateway }

  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer {
    try PageFault.explaining {
      switch question {
      case .record(let command, let participant, let until):
        // After the request's deadline, the page has already reported to the user that the request
        // failed.
        if let until, try until.time().map({ BootClock.now() >= $0 }) ?? true {
          throw PageFault(
            409, "the request arrived too late, and nothing was done", remedy: "try again")
        }
        switch command {
        case .start: try start(participant)
        case .stop: daemon.take(.stop)
        case .pause, .resume:
          guard daemon.pause(command == .pause) else {
            throw PageFault(409, "nothing is being recorded")
          }
        }
        return .json(["done": true])
      case .note(let remark, nil):
        // The status shows a new session up to a second late, so the live data is checked before
        // the status.
        if let session = daemon.live?.session ?? daemon.status.recording.session {
          return .json(try store.note(remark, in: session))
        }
        // The phone may have kept the note since the previous walk.
        guard let last = try store.lastSession(before: remark.time),
          let answer = try? store.note(remark, in: last)
        else {
          throw PageFault(
            409, "nothing is being recorded",
            remedy: "name a session by its id, and set 'at' to a time within the session")
        }
        return .json(answer)
      case .others: return .json(["others": .array(daemon.others.map(\.json))])
      default: return try look.answer(question)
      }
    }
  }

  /// Starts a recording, for a participant if the user chose one.
  private func start(_ participant: String?) throws {
    guard let participant, !participant.isEmpty else {
      daemon.take(.start)
      return
    }
    do {
      try daemon.start(participant: participant)
    } catch let error as any Remediable {
      throw PageFault(409, error.message, remedy: error.remedy)
    }
  }

  func watch(_ isWatched: Bool) { daemon.watch(isWatched) }

  func status() -> JSONValue { daemon.status.json }

  func state() -> JSONValue {
    let status = daemon.status
    let live = daemon.live
    return [
      "status": status.json, "position": live.flatMap(Self.position) ?? .null,
      "session": session(live) ?? .null,
      "now": BootClock.isSystemTimeSynchronised
        ? BootClock.systemTime().iso8601().json : .null,
      // The clock is read last, because collecting the other members of the state may involve
      // waiting for the disk.
      "clock": (try? PageQuestion.Instant.now()) ?? .null,
    ]
  }

  private func session(_ live: LiveStatus?) -> JSONValue? {
    guard let live, let id = live.session else { return nil }
    return [
      "id": id.json, "elapsed": live.elapsed.json(decimals: 1),
      "statistics": SessionReport.json(live.statistics), "hazards": (try? store.hazards(id)) ?? [],
    ]
  }

  private static func position(of live: LiveStatus) -> JSONValue? {
    guard let fix = live.fix, let age = live.fixAge else { return nil }
    return [
      "latitude": fix.latitude.json, "longitude": fix.longitude.json,
      "altitude": fix.altitudeMSL.json, "speed": fix.speed.json,
      "accuracy": (fix.error?.horizontal).json, "satellites": fix.satellites.json,
      "age": age.json(decimals: 1), "isCurrent": .bool(age <= currentSeconds),
    ]
  }

  /// Seconds for which a position is considered current.
  private static let currentSeconds = 5.0

  func newColumns() -> JSONValue? {
    let new = daemon.takeNewColumns()
    return new.isEmpty ? nil : ["streams": .array(new.map(\.json))]
  }
}

extension OtherGateway {
  fileprivate var json: JSONValue {
    [
      "name": name.json, "latitude": latitude.json(decimals: 7),
      "longitude": longitude.json(decimals: 7), "age": age.json(decimals: 1),
      "isStale": isStale.json,
    ]
  }
}

extension LiveStreamColumns {
  fileprivate var json: JSONValue {
    let axes = description.axisCount
    return [
      "board": board.address.json, "name": board.name.json, "signal": description.signal.json,
      "unit": description.unit.json, "axes": description.axes.json,
      "columns": .array(
        columns.map { column in
          var values: [JSONValue] = [column.end.json(decimals: 1)]
          for axis in 0..<axes {
            let range = column.range(ofAxis: axis)
            values.append(range.map { Self.short($0.lowerBound) } ?? .null)
            values.append(range.map { Self.short($0.upperBound) } ?? .null)
          }
          return .array(values)
        }),
    ]
  }

  /// Rounds a number to one, three or four decimal places, depending on its size. The rounding
  /// error is smaller than a pixel.
  private static func short(_ value: Float) -> JSONValue {
    let scale = Double(description(of: value))
    return .number((Double(value) * scale).rounded() / scale)
  }

  private static func description(of value: Float) -> Int {
    switch abs(value) {
    case ..<1: 10_000
    case ..<100: 1_000
    default: 10
    }
  }
}
