internal import Recording
internal import Values

extension Session {
  var json: JSONValue {
    var fields = JSONMembers()
    fields.add("id", .text(id))
    fields.add("bootId", .text(bootID))
    fields.add("startNs", boot: start)
    fields.add("endNs", boot: end)
    fields.add("ending", text: ending?.name)
    fields.add("note", .string(note))
    fields.add("gateway", .string(gateway))
    fields.add("wearer", .string(wearer))
    return fields.object
  }

  init(_ fields: JSONFields) throws(JSONError) {
    let end = try fields.optionalBoot("endNs")
    let ending = try fields.optionalWord("ending", of: [Ending.closed, .recovered], \.name)
    guard end != nil || ending == nil else {
      throw fields.failure("ending", "a session that goes on has none")
    }
    self.init(
      id: try fields.id("id"), bootID: try fields.id("bootId"), start: try fields.boot("startNs"),
      end: end, ending: ending, note: try fields.text("note"),
      gateway: try fields.text("gateway"), wearer: try fields.text("wearer"))
  }
}

extension BoardIdentity {
  var json: JSONValue {
    [
      "address": .text(address), "name": .string(name), "model": .string(model),
      "firmware": .string(firmware),
    ]
  }

  init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      address: try fields.address("address"), name: try fields.text("name"),
      model: try fields.text("model"), firmware: try fields.text("firmware"))
  }
}

extension ClockTable.Entry {
  var json: JSONValue {
    [
      "bootNs": .text(boot.nanoseconds), "utcNs": .text(utc.nanoseconds),
      "source": .string(source.name),
    ]
  }

  init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      boot: try fields.boot("bootNs"), utc: try fields.utc("utcNs"),
      source: try fields.word("source", of: ClockTable.Source.allCases, \.name))
  }
}

extension Hazard {
  var json: JSONValue {
    var fields = JSONMembers()
    fields.add("name", .string(name))
    fields.add("intensity", .count(intensity))
    fields.add("timeNs", boot: time)
    fields.add("utcNs", utc: utc)
    fields.add("latitude", number: position?.latitude)
    fields.add("longitude", number: position?.longitude)
    return fields.object
  }

  init(_ fields: JSONFields) throws(JSONError) {
    let hasLatitude = try fields.optionalNumber("latitude") != nil
    let hasLongitude = try fields.optionalNumber("longitude") != nil
    guard hasLatitude == hasLongitude else {
      throw fields.failure("latitude", "latitude and longitude belong together")
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
  var json: JSONValue { ["timeNs": .text(time.nanoseconds), "text": .string(text)] }
}

extension SessionEvent {
  var json: JSONValue {
    var fields = JSONMembers()
    fields.add("kind", .string(kind.rawValue))
    fields.add("board", text: board?.description)
    fields.add("timeNs", boot: time)
    fields.add("utcNs", utc: utc)
    fields.add("value", number: value)
    fields.add("text", .string(text))
    return fields.object
  }

  init(_ kind: Kind, _ fields: JSONFields) throws(JSONError) {
    self.init(
      kind, board: try fields.optionalAddress("board"), at: try fields.boot("timeNs"),
      utc: try fields.optionalUTC("utcNs"), value: try fields.optionalNumber("value"),
      text: try fields.text("text"))
  }
}

/// Values that are true only at the moment, speed and cadence, are not encoded.
extension SessionStatistics {
  var json: JSONValue {
    var fields = JSONMembers()
    fields.add("elapsed", .number(elapsed))
    fields.add("distance", number: distance)
    fields.add("movingSeconds", .number(movingSeconds))
    fields.add("highestSpeed", number: highestSpeed)
    if let altitude {
      fields.add(
        "altitude",
        [
          "source": .string(altitude.source.rawValue), "gain": .number(altitude.gain),
          "loss": .number(altitude.loss),
        ])
    }
    fields.add(
      "steps",
      .array(
        steps.map {
          [
            "board": .text($0.board), "source": .string($0.source.rawValue),
            "count": .count($0.count),
          ]
        }))
    fields.add("fixSeconds", .number(fixSeconds))
    return fields.object
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
