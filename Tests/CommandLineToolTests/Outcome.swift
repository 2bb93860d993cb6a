import BoardDriver
@testable import CommandLineTool
import LinuxSystem
import MetaWearProtocol
import Positioning
import Recording
import Storage
import Values

/// What a person sees of one run of the program.
struct Outcome: Equatable {
  var status: Int32
  var output = ""
  var errors = ""

  /// Runs the program with bodies that print what they were asked to do.
  static func of(
    _ arguments: String..., environment: [String: String] = [:],
    commands: [CommandLineTool.Command] = Commands.probes
  ) async -> Outcome {
    await of(arguments, environment: environment, commands: commands)
  }

  /// The same for arguments that are there already.
  static func of(
    _ arguments: [String], environment: [String: String] = [:],
    commands: [CommandLineTool.Command] = Commands.probes
  ) async -> Outcome {
    let output = MemorySink()
    let errors = MemorySink()
    let status = await Footbridge.main(
      arguments: arguments,
      // A gateway of this computer must not matter.
      environment: environment.merging(["FOOTBRIDGE_CONFIG": ""]) { own, _ in own },
      commands: commands,
      console: Console(output: output, errors: errors))
    return Outcome(status: status, output: output.text, errors: errors.text)
  }

  /// What a misunderstood command line gives.
  static func misunderstood(_ errors: String) -> Outcome {
    Outcome(status: 2, errors: errors + "\n")
  }
}

extension SensorChoice {
  /// What was chosen, if anything was.
  fileprivate var text: String {
    requests.map { request in
      ", \(request.signal) at \(request.rate.map { "\($0)" } ?? "-") Hz up to \(request.range.map { "\($0)" } ?? "-")"
    }.joined() + (layout.map { ", \($0.rawValue)" } ?? "")
  }
}

extension [HazardRequest] {
  /// The hazards that were named, if any were.
  fileprivate var text: String {
    map { ", \($0.name) \($0.intensity)" }.joined()
  }
}

extension [BoardAddress] {
  /// The adapters that were chosen, if any were.
  fileprivate var text: String {
    isEmpty ? "" : ", over \(map(\.description).joined(separator: " and "))"
  }
}

extension Commands {
  /// The commands of the executable, which print their configuration instead of obeying it. Help
  /// and completion only print anyway.
  static let probes = Commands.verbs.map { verb in
    verb == HelpCommand.self || verb == CompletionCommand.self
      ? CommandLineTool.Command(verb)
      : CommandLineTool.Command(verb) { verb, console in
        try console.print(text(of: verb))
        return .ok
      }
  }

  /// The probes, with this body for the demo.
  static func demo(
    _ body: @escaping @Sendable (any Verb, Console) async throws -> CommandLineTool.ExitStatus
  ) -> [CommandLineTool.Command] {
    probes.map { $0.name == "demo" ? CommandLineTool.Command(DemoCommand.self, body: body) : $0 }
  }

  private static func text(of verb: any Verb) throws -> String {
    switch verb {
    case let configuration as DemoCommand:
      return "\(configuration.seconds) s, \(configuration.boards) boards, "
        + "json \(configuration.reportsJSON), keep \(configuration.folder ?? "-"), seed \(configuration.seed)"
        + (configuration.adapters == 1 ? "" : ", \(configuration.adapters) adapters")
        + (configuration.wearer == .walking ? "" : ", \(configuration.wearer)")
        + configuration.sensors.text
    case let configuration as ScanCommand:
      return try "\(configuration.seconds.map { "\($0) s" } ?? "as long as usual"), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
        + configuration.adapters.text
    case let configuration as PairCommand:
      return try "\(configuration.board), name \(configuration.name ?? "-"), "
        + "placement \(configuration.placement ?? "-"), bond \(configuration.bonds), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
        + configuration.adapters.text
    case let configuration as BoardsCommand:
      return try "\(configuration.action?.rawValue ?? "list") \(configuration.board ?? "-"), "
        + "name \(configuration.name ?? "-"), placement \(configuration.placement ?? "-"), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as IdentifyCommand:
      return try "\(configuration.board), haptic \(configuration.vibrates), "
        + "store \(configuration.store.path())" + configuration.adapters.text
    case let configuration as StreamCommand:
      return try "\(configuration.boards.joined(separator: " and ")), "
        + "\(configuration.seconds.map { "\($0) s" } ?? "until interrupted"), "
        + "format \(configuration.format?.rawValue ?? "-"), store \(configuration.store.path())"
        + configuration.sensors.text + configuration.adapters.text
    case let configuration as RecordCommand:
      return try
        (configuration.named.isEmpty
        ? "\(configuration.boards) boards" : configuration.named.joined(separator: " and "))
        + ", gps \(configuration.receiver?.description ?? "-"), "
        + "\(configuration.seconds.map { "\($0) s" } ?? "until interrupted"), "
        + "export \(configuration.exportFolder ?? "-"), store \(configuration.store.path())"
        + (configuration.note.map { ", note \($0)" } ?? "") + configuration.hazards.text
        + (configuration.wearer.map { ", wearer \($0)" } ?? "")
        + (configuration.gateway.map { ", gateway \($0)" } ?? "")
        + configuration.sensors.text + configuration.adapters.text
    case let configuration as SessionsCommand:
      return try "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as ShowCommand:
      return try "\(configuration.session), chunks \(configuration.listsChunks), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as SessionCommand:
      return try "\(configuration.action.rawValue) \(configuration.session), "
        + "wearer \(configuration.wearer ?? "-"), note \(configuration.note ?? "-"), "
        + "placements \(configuration.placements.map { "\($0.board): \($0.text)" }), "
        + "names \(configuration.names.map { "\($0.board): \($0.text)" }), "
        + "swaps \(configuration.swaps.map { "\($0.one) and \($0.other)" }), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as HazardCommand:
      return try "\(configuration.session)\(configuration.hazards.text), "
        + (configuration.moment.map { "at \($0), " } ?? "")
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as AnnotateCommand:
      return try "\(configuration.session), \(configuration.text), "
        + "at \(configuration.moment.map { "\($0)" } ?? "-"), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as ExportCommand:
      return try "\(configuration.session), \(configuration.format.map { "\($0)" } ?? "-")"
        + (configuration.isWide ? " wide" : "")
        + ", boards \(configuration.boards), signals \(configuration.signals), "
        + "from \(configuration.from.map { "\($0)" } ?? "-"), "
        + "to \(configuration.to.map { "\($0)" } ?? "-"), "
        + "output \(configuration.output ?? "-"), store \(configuration.store.path())"
    case let configuration as DeleteCommand:
      return try "\(configuration.session), sure \(configuration.isSure), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as StoreCommand:
      return try "\(configuration.action) \(configuration.file ?? "-"), "
        + "quota \(configuration.quota.map { "\($0)" } ?? "-"), "
        + "floor \(configuration.floor.map { "\($0)" } ?? "-"), "
        + "when full \(configuration.whenFull?.rawValue ?? "-"), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as DestinationCommand:
      return try "\(configuration.action) \(configuration.name ?? "-"), "
        + "http \(configuration.url ?? "-"), firestore \(configuration.project ?? "-"), "
        + "folder \(configuration.folder ?? "-"), hours "
        + "\(configuration.hours.map { "\($0)" } ?? "-"), "
        + "parallel \(configuration.parallel.map { "\($0)" } ?? "-"), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as UploadCommand:
      return try "to \(configuration.destinations), sessions \(configuration.sessions), "
        + "newest first \(configuration.newestFirst), now \(configuration.ignoresHours), "
        + "dry run \(configuration.isDryRun), json \(configuration.reportsJSON), "
        + "store \(configuration.store.path())"
    case let configuration as UploadsCommand:
      return try "\(configuration.action?.rawValue ?? "show") \(configuration.destinations), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as FetchCommand:
      return try "\(configuration.named ?? "-") \(configuration.record ?? "-"), "
        + "\(configuration.format.map { "\($0)" } ?? "-"), user \(configuration.user ?? "-"), "
        + "output \(configuration.output ?? "-"), json \(configuration.reportsJSON), "
        + "store \(configuration.store.path())"
    case let configuration as ResetCommand:
      return try "\(configuration.board), store \(configuration.store.path())"
        + configuration.adapters.text
    case let configuration as ForgetCommand:
      return try "\(configuration.board), store \(configuration.store.path())"
    case let configuration as SensorsCommand:
      return "\(configuration.board.rawValue), json \(configuration.reportsJSON)"
    case let configuration as SimulateCommand:
      return "\(configuration.boards) boards \(configuration.model), "
        + "gps \(configuration.simulatesGPS), json \(configuration.reportsJSON), "
        + "seed \(configuration.seed)"
        + (configuration.wearer == .walking ? "" : ", \(configuration.wearer)")
        + configuration.faults.map { fault in
          ", \(fault.kind) at \(fault.seconds): \(fault.count), \(fault.span) s, \(fault.sensor)"
        }.joined()
        + (configuration.adapters == 1 ? "" : ", \(configuration.adapters) adapters")
        + (configuration.release == .v5_72 ? "" : ", BlueZ \(configuration.release.rawValue)")
        + configuration.daemonFaults.map { fault in
          ", \(fault.kind) at \(fault.seconds): \(fault.value)"
        }.joined()
        + (configuration.servesShell ? ", shell" : "")
        + (configuration.shellDescriptor.map { ", followed by \($0)" } ?? "")
        + (configuration.commandLine.isEmpty ? "" : ", runs \(configuration.commandLine)")
    case let configuration as GPSCommand:
      return "\(configuration.source?.description ?? "-"), "
        + "speed \(configuration.speed.map { "\($0.rawValue)" } ?? "-"), "
        + "\(configuration.seconds.map { "\($0) s" } ?? "until interrupted"), "
        + "json \(configuration.reportsJSON)"
    case let configuration as InspectCommand:
      return "\(configuration.format), board \(configuration.board?.rawValue ?? "-"), "
        + "json \(configuration.reportsJSON), file \(configuration.file ?? "-")"
    case let configuration as ReceiveCommand:
      return "into \(configuration.into ?? "-"), at \(configuration.address), "
        + "token \(configuration.tokenFile ?? "-"), "
        + "certificate \(configuration.certificateFile ?? "-"), "
        + "key \(configuration.keyFile ?? "-"), json \(configuration.reportsJSON)"
    case let configuration as DefinitionsCommand:
      return try "\(configuration.action?.rawValue ?? "-") \(configuration.file ?? "-") from "
        + "\(configuration.destinations.joined(separator: " and ")), "
        + "json \(configuration.reportsJSON), store \(configuration.store.path())"
    case let configuration as DoctorCommand:
      return try "gps \(configuration.source?.description ?? "-"), "
        + "offline \(configuration.isOffline), json \(configuration.reportsJSON), "
        + "store \(configuration.store.path())"
    case let configuration as CompleteCommand:
      return try
        "\(configuration.kind) \(configuration.prefix ?? "-"), store \(configuration.store.path())"
    default: return "no text for \(verb)"
    }
  }
}
