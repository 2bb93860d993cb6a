internal import Recording
internal import Values

/// The files that describe a motion file.
struct MotionSidecar {
  let system: MotionSystem
  let task: String
  /// Whether another program recorded the session, perhaps with boards of another manufacturer.
  let isImported: Bool

  func description(of run: MotionRun) -> String {
    let (board, firmware) = (system.board, system.firmware.joined(separator: ", "))
    return BidsText.json(
      [
        .init("TaskName", task),
        .init(
          "TaskDescription",
          "Recording with sensors worn on the body. The events contain the tasks that were carried "
            + "out."),
        .init("SamplingFrequency", system.rate.isFinite ? system.rate : 0),
        .init("MissingValues", TabTable.unknown), .init("RecordingType", "continuous"),
        .init("RecordingDuration", run.seconds.json(decimals: 6)),
        .init("TrackingSystemName", system.name), .init("TrackedPointsCount", 1),
        .init("MotionChannelCount", system.channels.count),
        // If no two consecutive rows contain samples, no rate can be measured.
        .init("SamplingFrequencyEffective", run.rate.json(decimals: 6)),
      ]
        + MotionChannel.Kind.allCases.map { kind in
          .init("\(kind.rawValue)ChannelCount", system.channels.count { $0.kind == kind })
        } + [
          // All boards that Footbridge records have the same manufacturer.
          .init("Manufacturer", isImported ? nil : board.map { _ in "MbientLab" }),
          .init("ManufacturersModelName", board.flatMap { $0.model.isEmpty ? nil : $0.model }),
          .init("DeviceSerialNumber", board.flatMap { $0.address.value == 0 ? nil : $0.address }),
          .init("SoftwareVersions", firmware.isEmpty ? nil : firmware),
        ])
  }

  func channels(of run: MotionRun) -> String {
    var table = TabTable(header: [
      "name", "component", "type", "tracked_point", "units", "placement", "reference_frame",
      "description", "sampling_frequency", "status", "sampling_frequency_effective", "range",
    ])
    for (column, channel) in system.channels.enumerated() {
      let stream = system.columns.lastIndex { $0 <= column }
      let measured = channel.rate == nil ? nil : stream.flatMap(run.rate(ofStream:))
      table.append([
        TabTable.field(channel.name), TabTable.field(channel.component), channel.kind.rawValue,
        TabTable.field(system.trackedPoint), channel.unit, TabTable.field(system.placement),
        TabTable.field(channel.frame?.rawValue), TabTable.field(channel.description),
        TabTable.field(channel.rate.flatMap { $0.isFinite ? $0.json.text : nil }),
        TabTable.unknown,
        TabTable.field(measured?.json(decimals: 6).text), TabTable.field(channel.range?.json.text),
      ])
    }
    return table.text
  }

  static let explanation = BidsText.json([
    .column(
      "reference_frame", "Frame of reference of the values",
      levels: .object(
        MotionChannel.Frame.allCases.map { .init($0.rawValue, ["Description": $0.words.json]) })),
    .column(
      "sampling_frequency_effective",
      "Sampling frequency measured between the first and the last sample, without gaps",
      unit: "Hz"),
    .column(
      "range",
      "Largest magnitude that the sensor measures with its settings, in the unit of the channel"),
  ])
}
