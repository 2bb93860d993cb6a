internal import Recording
internal import Values

extension Session {
  func write(to json: inout JSONWriter) {
    json.add("id", id: id)
    json.add("bootId", id: bootID)
    json.add("startNs", boot: start)
    json.add("endNs", boot: end)
    json.add("ending", text: ending?.name)
    json.add("note", text: note)
    json.add("gateway", text: gateway)
    json.add("wearer", text: wearer)
    if let participant { json.add("participant", json: participant.json) }
  }

  init(_ fields: JSONFields) throws(JSONError) {
    let end = try fields.optionalBoot("endNs")
    let ending = try fields.optionalWord("ending", of: [Ending.closed, .recovered], \.name)
    guard end != nil || ending == nil else {
      throw fields.failure("ending", "an open session has no ending")
    }
    self.init(
      id: try fields.id("id"), bootID: try fields.id("bootId"), start: try fields.boot("startNs"),
      end: end, ending: ending, note: try fields.text("note"),
      gateway: try fields.text("gateway"), wearer: try fields.text("wearer"),
      participant: try fields.optional("participant", "a participant", Participant.init(json:)))
  }
}

extension BoardIdentity {
  func write(to json: inout JSONWriter) {
    json.add("address", address: address)
    json.add("name", text: name)
    json.add("model", text: model)
    json.add("firmware", text: firmware)
  }

  init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      address: try fields.address("address"), name: try fields.text("name"),
      model: try fields.text("model"), firmware: try fields.text("firmware"))
  }
}

extension ClockTable.Entry {
  func write(to json: inout JSONWriter) {
    json.add("bootNs", boot: boot)
    json.add("utcNs", utc: utc)
    json.add("source", text: source.name)
  }

  init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      boot: try fields.boot("bootNs"), utc: try fields.utc("utcNs"),
      source: try fields.word("source", of: ClockTable.Source.allCases, \.name))
  }
}

extension Hazard {
  func write(to json: inout JSONWriter) {
    json.add("name", text: name)
    json.add("intensity", count: intensity)
    json.add("timeNs", boot: time)
    json.add("utcNs", utc: utc)
    json.add("latitude", number: position?.latitude)
    json.add("longitude", number: position?.longitude)
  }

  init(_ fields: JSONFields) throws(JSONError) {
    let hasLatitude = try fields.optionalNumber("latitude") != nil
    let hasLongitude = try fields.optionalNumber("longitude") != nil
    guard hasLatitude == hasLongitude else {
      throw fields.failure("latitude", "latitude and longitude must be given together")
    }
    self.init(
      name: try fields.text("name"),
      intensity: try fields.required("intensity", "an intensity from 0 to 3") { value in
        value.integer.flatMap { Hazard.intensities.contains($0) ? $0 : nil }
      },
      time: try fields.boot("timeNs"), utc: try fields.optionalUTC("utcNs"),
      position: hasLatitude ? try fields.position() : nil)
  }
}

extension Annotation {
  func write(to json: inout JSONWriter) {
    json.add("timeNs", boot: time)
    json.add("text", text: text)
  }
}

extension SessionEvent {
  func write(to json: inout JSONWriter) {
    json.add("kind", text: kind.rawValue)
    json.add("board", address: board)
    json.add("timeNs", boot: time)
    json.add("utcNs", utc: utc)
    json.add("value", number: value)
    json.add("text", text: text)
  }

  init(_ kind: Kind, _ fields: JSONFields) throws(JSONError) {
    self.init(
      kind, board: try fields.optionalAddress("board"), at: try fields.boot("timeNs"),
      utc: try fields.optionalUTC("utcNs"), value: try fields.optionalNumber("value"),
      text: try fields.text("text"))
  }
}

/// Speed and cadence apply only to the current moment, so they are not encoded.
extension SessionStatistics {
  func write(to json: inout JSONWriter) {
    json.add("elapsed", number: elapsed)
    json.add("distance", number: distance)
    json.add("movingSeconds", number: movingSeconds)
    json.add("highestSpeed", number: highestSpeed)
    if let altitude {
      json.add("altitude") { json in
        json.add("source", text: altitude.source.rawValue)
        json.add("gain", number: altitude.gain)
        json.add("loss", number: altitude.loss)
      }
    }
    json.add("steps", objects: steps) { steps, json in
      json.add("board", address: steps.board)
      json.add("source", text: steps.source.rawValue)
      json.add("count", count: steps.count)
    }
    json.add("fixSeconds", number: fixSeconds)
  }

  init(_ fields: JSONFields) throws(JSONError) {
    self.init()
    elapsed = try fields.number("elapsed")
    distance = try fields.optionalNumber("distance")
    movingSeconds = try fields.number("movingSeconds")
    highestSpeed = try fields.optionalNumber("highestSpeed")
    altitude = try fields.optionalObject("altitude").map { (altitude) throws(JSONError) in
      Altitude(
        source: try altitude.word("source", of: Altitude.Source.allCases, \.rawValue),
        gain: try altitude.number("gain"), loss: try altitude.number("loss"))
    }
    try fields.objects("steps") { (entry) throws(JSONError) in
      steps.append(
        Steps(
          board: try entry.address("board"),
          source: try entry.word("source", of: Steps.Source.allCases, \.rawValue),
          count: try entry.count("count")))
    }
    fixSeconds = try fields.number("fixSeconds")
  }
}
