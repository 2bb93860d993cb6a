internal import Export
internal import LinuxSystem
public import Terminal
internal import Values

/// What a command line says of the result of a command: where it goes, and in which form.
struct OutputChoice {
  let format: ExportFormat
  /// Where it goes; `nil` for standard output.
  let path: String?

  /// A choice that needs no looking at.
  init(format: ExportFormat, path: String?) {
    self.format = format
    self.path = path
  }

  /// What `--format` and `--output` mean together: the ending of a file's name says the format, and
  /// one that says another than `--format` is refused, and one that says none without it. The name
  /// of a folder says nothing.
  init(
    format: ExportFormat?, output: String?, isFolder: Bool = false, command: String
  ) throws(Complaint) {
    let place: OutputPlace?
    do throws(OutputRefusal) {
      place = try output.map { output throws(OutputRefusal) in try OutputPlace(output) }
    } catch {
      throw Complaint(error.message, remedy: error.remedy)
    }
    path = place == .standardOutput ? nil : output
    guard case .file? = place, let output, !isFolder else {
      self.format = format ?? .csv
      return
    }
    let meant = ExportFormat(endingOf: output)
    if format == nil, meant == nil, ExportFormat.hasEnding(output) {
      throw .usage(
        "no format has the ending of '\(output)'",
        remedy: "give the file another ending ("
          + ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
          + "), or name its format with '--format'",
        command: "\(Version.program) \(command)")
    }
    if let format, !format.suits(output) {
      throw .usage(
        "'--format \(format.rawValue)' contradicts the ending of '\(output)'",
        remedy: "leave '--format' out, or give the file another ending",
        command: "\(Version.program) \(command)")
    }
    self.format = format ?? meant ?? .csv
  }
}

extension Option {
  /// The option `--adapter ADDRESS`, for every command that uses the radio.
  static func adapters(adds place: Place<[BoardAddress]>) -> Option {
    .option(
      "adapter", .adapter,
      help: "use this Bluetooth adapter; may be repeated "
        + "(default: all that are on)", adds: place)
  }

  /// The option `--wearer WEARER`, for every command that simulates boards.
  static func wearer(sets place: Place<WearerRequest>) -> Option {
    .option(
      "wearer", .wearer, default: .walking,
      help: "what the boards go through: still, walking, running, falling (after 10 s) or the "
        + "path of a recorded motion", sets: place)
  }

  /// The option `--format FORMAT`, for every command that writes a session.
  static func format(sets place: Place<ExportFormat?>) -> Option {
    .option(
      "format", .word("FORMAT"),
      help: "csv, jsonl, json, geojson or gpx (default: by the ending of --output, else csv)",
      sets: place)
  }

  /// The option `--force`, for every command that writes a file somebody names.
  static func force(sets place: Place<Bool>) -> Option {
    .flag("force", help: "replace files that are there already", sets: place)
  }

  /// The option `--utc`, for every command that prints dates for people.
  public static func utc(_ action: String? = nil, sets place: Place<Bool>) -> Option {
    .flag(
      "utc",
      help: (action.map { "with \($0): " } ?? "")
        + "print dates in universal time, as logs have them",
      sets: place)
  }
}
