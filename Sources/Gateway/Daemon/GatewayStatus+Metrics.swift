internal import Recording
internal import Values

/// The status in Prometheus's text format (exposition format 0.0.4).
extension GatewayStatus {
  /// All metrics, each with its help text, type and values. Unknown values are omitted.
  public var metrics: String {
    var text = MetricsText()
    text.add("works", .gauge, "Whether the gateway records everything it should.", works ? 1 : 0)
    text.add("uptime_seconds", .gauge, "Time since the gateway started.", uptime)
    text.add(
      "recording", .gauge, "Whether samples of a session are being recorded.",
      recording.phase == .recording ? 1 : 0)
    text.add(
      "recording_restarts_total", .counter, "Recordings that failed and were restarted.",
      Double(recording.restarts))
    text.add(
      "clock_synchronised", .gauge, "Whether the system clock is synchronised.",
      clock.isSynchronised ? 1 : 0)
    if let bluetooth {
      text.add(
        "bluetooth_ready", .gauge, "Whether boards can connect.",
        bluetooth.obstacle == nil ? 1 : 0)
    }
    text.add(
      "adapter_switches_total", .counter, "Number of times the adapter was switched off and on.",
      adapters.map { ([("adapter", $0.name)], Double($0.help.switches)) })
    text.add(
      "adapter_port_resets_total", .counter, "Resets of the adapter's USB port.",
      adapters.map { ([("adapter", $0.name)], Double($0.help.resets)) })
    addBoards(to: &text)
    if let receiver {
      text.add(
        "receiver_port_resets_total", .counter, "Resets of the receiver's USB port.",
        Double(receiver.help.resets))
      text.add(
        "receiver_current", .gauge, "Whether the position is current.", receiver.isCurrent ? 1 : 0)
      text.add("receiver_fix_age_seconds", .gauge, "Age of the last fix.", receiver.fixAge)
    }
    if let store {
      text.add("store_bytes", .gauge, "Size of the store's content.", Double(store.used))
      text.add("disk_free_bytes", .gauge, "Free space on the store's disk.", Double(store.free))
    }
    addUploads(to: &text)
    return text.text
  }

  private func addBoards(to text: inout MetricsText) {
    text.add(
      "board_sample_age_seconds", .gauge, "Age of the last sample.",
      boards.map { ([("board", $0.name)], $0.sampleAge) })
    text.add(
      "board_battery_percent", .gauge, "Battery charge.",
      boards.map { ([("board", $0.name)], $0.battery.map(Double.init)) })
    text.add(
      "board_rssi_dbm", .gauge, "Signal strength when the board was last heard.",
      boards.map { ([("board", $0.name)], $0.rssi.map(Double.init)) })
    text.add(
      "board_sensor_starts_total", .counter, "Restarts of silent sensors.",
      boards.map { ([("board", $0.name)], Double($0.help.starts)) })
    text.add(
      "board_links_total", .counter, "Links to the board that were lost.",
      boards.map { ([("board", $0.name)], Double($0.help.links)) })
    let streams = boards.flatMap { board in
      board.streams.map { ([("board", board.name), ("signal", $0.signal)], $0) }
    }
    text.add(
      "stream_rate_hertz", .gauge, "Measured samples per second.",
      streams.map { ($0, $1.measuredRate) })
    text.add(
      "session_samples_received_total", .counter, "Samples received in the current session.",
      streams.map { ($0, Double($1.received)) })
    text.add(
      "session_samples_lost_total", .counter, "Samples lost in the current session.",
      streams.flatMap { labels, stream in
        LossReason.allCases.compactMap { reason in
          stream.lost[reason].map { (labels + [("reason", reason.name)], Double($0)) }
        }
      })
  }

  private func addUploads(to text: inout MetricsText) {
    func add(_ name: String, _ help: String, _ value: (Upload) -> Double?) {
      text.add(name, .gauge, help, uploads.map { ([("destination", $0.destination)], value($0)) })
    }
    add("upload_waiting_chunks", "Chunks waiting for the destination.") { Double($0.waiting) }
    add("upload_parked_chunks", "Chunks rejected by the destination.") { Double($0.parked) }
    add("upload_success_age_seconds", "Time since the destination last stored something.") {
      $0.successAge
    }
  }
}

private struct MetricsText {
  enum Kind: String {
    case gauge
    case counter
  }

  private(set) var text = ""

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, [([], value)])
  }

  mutating func add(
    _ name: String, _ kind: Kind, _ help: String,
    _ values: [(labels: [(name: String, value: String)], value: Double?)]
  ) {
    let known = values.compactMap { labels, value in value.map { (labels, $0) } }
    guard !known.isEmpty else { return }
    text += "# HELP footbridge_\(name) \(help)\n# TYPE footbridge_\(name) \(kind.rawValue)\n"
    for (labels, value) in known {
      let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
      text += "footbridge_\(name)\(list.isEmpty ? "" : "{\(list)}") \(number)\n"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", by: "\\\\").replacing("\"", by: "\\\"").replacing("\n", by: "\\n")
  }
}
