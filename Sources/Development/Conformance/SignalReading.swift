internal import MetaWearProtocol
internal import Recording
internal import Values

/// Converts a notification's content to the fields and units of its signal.
struct SignalReading {
  let vector: MetaWearVector

  private static let axes = ["x", "y", "z"]

  func rows(of packet: [UInt8]) throws(Objection) -> [Row] {
    do throws(DecodeError) {
      if vector.signal == "processor" || vector.signal == "processor_output" {
        return try ProcessorReading(vector: vector).rows(of: packet)
      }
      let notification = try Notification(decoding: packet.span, from: vector.modules)
      if let rows = rows(of: notification, packet) { return rows }
    } catch {
      throw .failed("\(Hexadecimal.text(packet)): \(error)")
    }
    throw .failed("\(Hexadecimal.text(packet)) is not a \(vector.signal)")
  }

  private func rows(of notification: Notification, _ packet: [UInt8]) -> [Row]? {
    switch (vector.signal, notification) {
    case (_, .sample(let module, let vector)):
      return [row(vector, of: module)]
    case (_, .packedSamples(let module, let first, let second, let third)):
      return [first, second, third].map { row($0, of: module) }
    case ("module_info", .moduleInfo(_, let info)):
      return [
        Row([
          "present": .bool(info != nil),
          "implementation": info.map { .number(Double($0.implementation)) } ?? .null,
          "revision": info.map { .number(Double($0.revision)) } ?? .null,
          "extra": .text(Hexadecimal.text(info?.extra ?? [])),
        ])
      ]
    case ("resource_id", .created(_, let id)): return [Row(["id"], [Double(id)])]
    case (_, .accelerometerEvent(let event)): return rows(of: event)
    case (_, .fusion(let output)): return [row(of: output)]
    case ("bytes", .busData(_, let bytes)):
      let hasID = vector.context["has_id"]?.bool ?? true
      return [Row(["hex": .text(Hexadecimal.text(hasID ? bytes : Array(packet.dropFirst(2))))])]
    case ("bytes", .diagnosis(_, let bytes)), ("calibration_data", .calibrationData(_, let bytes)):
      return [Row(["hex": .text(Hexadecimal.text(bytes))])]
    case ("switch", .switchState(let isPressed)): return [Row(["pressed": .bool(isPressed)])]
    case (_, .pin(let reading)): return [row(of: reading)]
    case ("color", .colour(let reading)):
      return [
        Row(
          ["clear", "red", "green", "blue"],
          [reading.clear, reading.red, reading.green, reading.blue].map(Double.init))
      ]
    case ("mac", .address(let address)): return [Row(["address": .text(address.description)])]
    case ("power_status", .power(let isPresent)): return [Row(["present": .bool(isPresent)])]
    case ("charge_status", .charge(let isCharging)):
      return [Row(["charging": .bool(isCharging)])]
    case ("settings_name", .name(let name)): return [Row(["name": .text(name)])]
    default: return numbers(of: notification).map { [$0] }
    }
  }

  /// Returns the fields of a signal that consists only of numbers.
  private func numbers(of notification: Notification) -> Row? {
    switch (vector.signal, notification) {
    case ("temperature", .temperature(let channel, let counts)):
      Row(
        ["channel", "value"], [Double(channel), Double(counts) / Temperature.countsPerDegree])
    case ("pressure", .pressure(let counts)):
      Row(["value"], [Double(counts) / Barometer.countsPerPascal])
    case ("altitude", .altitude(let counts)):
      Row(["value"], [Double(counts) / Barometer.countsPerMetre])
    case ("humidity", .humidity(let counts)):
      Row(["value"], [Double(counts) / Humidity.countsPerPercent])
    case ("illuminance", .illuminance(let milliLux)): Row(["value"], [Double(milliLux) / 1000])
    case ("proximity", .proximity(let counts)): Row(["value"], [Double(counts)])
    case ("fusion_calibration_state", .calibrationState(let state)):
      Row(
        ["acc", "gyro", "mag"],
        [state.accelerometer, state.gyroscope, state.magnetometer].map { Double($0.rawValue) })
    case ("battery", .battery(let battery)):
      Row(
        ["charge_percent", "voltage_mv"], [Double(battery.percent), Double(battery.millivolts)])
    case ("settings_advertising", .advertising(let advertising)):
      Row(
        ["interval_ms", "timeout_s"],
        [
          advertising.intervalMilliseconds(revision: vector.revision(otherwise: 10)),
          Double(advertising.timeoutSeconds),
        ])
    case ("settings_connection_params", .connectionParameters(let parameters)):
      Row(
        ["min_ms", "max_ms", "latency", "timeout_ms"],
        [
          Double(parameters.minimumInterval) * ConnectionParameters.intervalMilliseconds,
          Double(parameters.maximumInterval) * ConnectionParameters.intervalMilliseconds,
          Double(parameters.latency),
          Double(parameters.timeout) * ConnectionParameters.timeoutMilliseconds,
        ])
    case ("settings_tx_power", .sentPower(let dBm)): Row(["dbm"], [Double(dBm)])
    case ("log_time", .timeReference(let reference)):
      Row(["tick", "reset_uid"], [Double(reference.tick), Double(reference.resetUID)])
    case ("log_length", .logLength(let entries)): Row(["entries"], [Double(entries)])
    case ("log_progress", .logProgress(let left)): Row(["entries_left"], [Double(left)])
    case ("key_register", .debugKey(let value)): Row(["value"], [Double(value)])
    case ("stack_overflow", .stack(let isAsserting, let free)):
      Row(["assert_enabled", "length"], [isAsserting ? 1 : 0, Double(free)])
    default: nil
    }
  }

  // MARK: Sensors

  private func row(_ sample: Vector, of module: ModuleID) -> Row {
    let scale = countsPerUnit(module)
    return Row(Self.axes, [sample.x, sample.y, sample.z].map { Double($0) / scale })
  }

  func countsPerUnit(_ module: ModuleID) -> Double {
    switch module {
    case .accelerometer:
      // If the vector does not specify a range, use the chip's default range.
      range(
        vector.context["range_g"]?.number ?? (vector.accelerometer.chip == .bmi270 ? 8 : 2),
        of: vector.accelerometer)
    case .gyroscope: range(vector.context["range_dps"]?.number ?? 2000, of: vector.gyroscope)
    default: Magnetometer.countsPerMicrotesla
    }
  }

  private func range(_ limit: Double, of sensor: some MotionSensor) -> Double {
    sensor.ranges.first { $0.limit == limit }?.countsPerUnit ?? .nan
  }

  private func row(of reading: GPIO.Reading) -> Row {
    switch reading {
    case .millivolts(let pin, let value), .ratio(let pin, let value):
      Row(["pin", "value"], [Double(pin), Double(value)])
    case .level(let pin, let isHigh), .change(let pin, let isHigh):
      Row(["pin": .number(Double(pin)), "state": .bool(isHigh)])
    }
  }

  private func row(of output: SensorFusion.Output) -> Row {
    func row(
      _ vector: SensorFusion.Vector, per unit: Double = 1, _ accuracy: SensorFusion.Accuracy? = nil
    ) -> Row {
      var row = Row(Self.axes, [vector.x, vector.y, vector.z].map { Double($0) / unit })
      row.fields["accuracy"] = accuracy.map { .number(Double($0.rawValue)) }
      return row
    }
    return switch output {
    case .correctedAcceleration(let vector, let accuracy):
      row(vector, per: SensorFusion.countsPerG, accuracy)
    case .correctedAngularVelocity(let vector, let accuracy),
      .correctedMagneticField(let vector, let accuracy):
      row(vector, accuracy)
    case .quaternion(let q): Row(["w", "x", "y", "z"], [q.w, q.x, q.y, q.z].map(Double.init))
    case .eulerAngles(let angles):
      Row(
        ["heading", "pitch", "roll", "yaw"],
        [angles.heading, angles.pitch, angles.roll, angles.yaw].map(Double.init))
    case .gravity(let vector), .linearAcceleration(let vector):
      row(vector, per: SensorFusion.standardGravity)
    }
  }
}
