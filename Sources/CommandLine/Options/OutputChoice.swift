internal import Export
internal import LinuxSystem
public import Terminal
internal import Values

/// The destination and format of an export, as given on the command line.
struct OutputChoice {
  let format: ExportFormat
  /// The output file's path; `nil` for standard output.
  let path: String?

  /// Creates a choice from values that the caller has already checked.
  init(format: ExportFormat, path: String?) {
    self.format = format
    self.path = path
  }

  /// Combines `--format` and `--output`. A file name's extension determines the format. An
  /// extension that contradicts `--format` is an error, and so is an unknown extension without
  /// `--format`. A folder's extension is ignored.
  init(
    format: ExportFormat?, output: String?, isFolder: Bool = false, acceptsFolders: Bool = false,
    command: String
  ) throws(Complaint) {
    let place: OutputPlace?
    do throws(OutputRefusal) {
      place = try output.map { output throws(OutputRefusal) in try OutputPlace(output) }
    } catch {
      throw Complaint(error.message, remedy: error.remedy)
    }
    path = place == .standardOutput ? nil : output
    var meant: ExportFormat?
    if case .file? = place, let output, !isFolder {
      meant = ExportFormat(endingOf: output)
      if format == nil, meant == nil, ExportFormat.hasEnding(output) {
        throw .usage(
          "'\(output)' has an unknown extension",
          remedy: "use another extension ("
            + ExportFormat.knownEndings.joined(separator: ", ")
            + "), or give the format with '--format'",
          command: "\(Version.program) \(command)")
      }
      if let format, !format.suits(output) {
        throw .usage(
          "'--format \(format.rawValue)' contradicts the extension of '\(output)'",
          remedy: "leave '--format' out, or give the file another extension",
          command: "\(Version.program) \(command)")
      }
    }
    self.format = format ?? meant ?? .csv
    guard !self.format.isFolder || acceptsFolders else {
      throw .usage(
        "cannot write \(self.format.rawValue) with \(command): this format is a folder of many "
          + "files",
        remedy: "choose a format that writes a single file, such as csv",
        command: "\(Version.program) \(command)")
    }
  }
}

extension Option {
  /// The option `--adapter ADDRESS`, for every command that uses the radio.
  static func adapters(adds place: Place<[BoardAddress]>) -> Option {
    .option(
      "adapter", .adapter,
      help: "use this Bluetooth adapter (repeatable; default: all that are powered on)",
      adds: place)
  }

  /// The option `--wearer WEARER`, for every command that simulates boards.
  static func wearer(sets place: Place<WearerRequest>) -> Option {
    .option(
      "wearer", .wearer, default: .walking,
      help: "board motion: still, walking, running, falling (after 10 s) or the "
        + "path of a recorded motion", sets: place)
  }

  /// The option `--format FORMAT`, for every command that writes a session in one of these formats.
  static func format(_ formats: String, sets place: Place<ExportFormat?>) -> Option {
    .option(
      "format", .word("FORMAT"),
      help: "\(formats) (default: from the extension of --output, else csv)", sets: place)
  }

  /// The option `--force`, for every command that writes a named file.
  static func force(sets place: Place<Bool>) -> Option {
    .flag("force", help: "overwrite existing files", sets: place)
  }

  /// The option `--utc`, for every command that prints human-readable dates.
  public static func utc(_ action: String? = nil, sets place: Place<Bool>) -> Option {
    .flag(
      "utc",
      help: (action.map { "with \($0): " } ?? "")
        + "print dates in UTC, as in logs",
      sets: place)
  }
}
