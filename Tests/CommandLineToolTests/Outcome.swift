import BoardDriver
import CommandLineTool
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
    _ arguments: String..., environment: [String: String] = [:], commands: Commands = .probes
  ) async -> Outcome {
    await of(arguments, environment: environment, commands: commands)
  }

  /// The same for arguments that are there already.
  static func of(
    _ arguments: [String], environment: [String: String] = [:], commands: Commands = .probes
  ) async -> Outcome {
    let output = MemorySink()
    let errors = MemorySink()
    let status = await Footbridge.main(
      arguments: arguments, environment: environment, commands: commands,
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
  /// Bodies that print their configuration.
  static let probes = Commands(
    demo: { configuration, console in
      let folder = configuration.folder ?? "-"
      try console.print(
        "\(configuration.seconds) s, \(configuration.boards) boards, "
          + "json \(configuration.reportsJSON), keep \(folder), seed \(configuration.seed)"
          + (configuration.adapters == 1 ? "" : ", \(configuration.adapters) adapters")
          + (configuration.wearer == .walking ? "" : ", \(configuration.wearer)")
          + configuration.sensors.text)
      return .ok
    },
    scan: { configuration, console in
      try console.print(
        "\(configuration.seconds.map { "\($0) s" } ?? "as long as usual"), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())"
          + configuration.adapters.text)
      return .ok
    },
    pair: { configuration, console in
      try console.print(
        "\(configuration.board), name \(configuration.name ?? "-"), "
          + "placement \(configuration.placement ?? "-"), bond \(configuration.bonds), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())"
          + configuration.adapters.text)
      return .ok
    },
    boards: { configuration, console in
      try console.print(
        "\(configuration.action?.rawValue ?? "list") \(configuration.board ?? "-"), "
          + "name \(configuration.name ?? "-"), placement \(configuration.placement ?? "-"), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    identify: { configuration, console in
      try console.print(
        "\(configuration.board), haptic \(configuration.vibrates), "
          + "store \(configuration.store.path())" + configuration.adapters.text)
      return .ok
    },
    stream: { configuration, console in
      try console.print(
        "\(configuration.boards.joined(separator: " and ")), "
          + "\(configuration.seconds.map { "\($0) s" } ?? "until interrupted"), "
          + "format \(configuration.format?.rawValue ?? "-"), store \(configuration.store.path())"
          + configuration.sensors.text + configuration.adapters.text)
      return .ok
    },
    record: { configuration, console in
      try console.print(
        (configuration.named.isEmpty
          ? "\(configuration.boards) boards" : configuration.named.joined(separator: " and "))
          + ", gps \(configuration.receiver?.description ?? "-"), "
          + "\(configuration.seconds.map { "\($0) s" } ?? "until interrupted"), "
          + "export \(configuration.exportFolder ?? "-"), store \(configuration.store.path())"
          + (configuration.note.map { ", note \($0)" } ?? "") + configuration.hazards.text
          + (configuration.wearer.map { ", wearer \($0)" } ?? "")
          + (configuration.gateway.map { ", gateway \($0)" } ?? "")
          + configuration.sensors.text + configuration.adapters.text)
      return .ok
    },
    sessions: { configuration, console in
      try console.print(
        "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    show: { configuration, console in
      try console.print(
        "\(configuration.session), chunks \(configuration.listsChunks), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    session: { configuration, console in
      try console.print(
        "\(configuration.action.rawValue) \(configuration.session), "
          + "wearer \(configuration.wearer ?? "-"), note \(configuration.note ?? "-"), "
          + "placements \(configuration.placements.map { "\($0.board): \($0.text)" }), "
          + "names \(configuration.names.map { "\($0.board): \($0.text)" }), "
          + "swaps \(configuration.swaps.map { "\($0.one) and \($0.other)" }), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    hazard: { configuration, console in
      try console.print(
        "\(configuration.session)\(configuration.hazards.text), "
          + (configuration.moment.map { "at \($0), " } ?? "")
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    annotate: { configuration, console in
      try console.print(
        "\(configuration.session), \(configuration.text), "
          + "at \(configuration.moment.map { "\($0)" } ?? "-"), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    export: { configuration, console in
      try console.print(
        "\(configuration.session), \(configuration.format.map { "\($0)" } ?? "-")"
          + (configuration.isWide ? " wide" : "")
          + ", boards \(configuration.boards), signals \(configuration.signals), "
          + "from \(configuration.from.map { "\($0)" } ?? "-"), "
          + "to \(configuration.to.map { "\($0)" } ?? "-"), "
          + "output \(configuration.output ?? "-"), store \(configuration.store.path())")
      return .ok
    },
    delete: { configuration, console in
      try console.print(
        "\(configuration.session), sure \(configuration.isSure), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    store: { configuration, console in
      try console.print(
        "\(configuration.action) \(configuration.file ?? "-"), "
          + "quota \(configuration.quota.map { "\($0)" } ?? "-"), "
          + "floor \(configuration.floor.map { "\($0)" } ?? "-"), "
          + "when full \(configuration.whenFull?.rawValue ?? "-"), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    destination: { configuration, console in
      try console.print(
        "\(configuration.action) \(configuration.name ?? "-"), "
          + "http \(configuration.url ?? "-"), firestore \(configuration.project ?? "-"), "
          + "folder \(configuration.folder ?? "-"), hours "
          + "\(configuration.hours.map { "\($0)" } ?? "-"), "
          + "parallel \(configuration.parallel.map { "\($0)" } ?? "-"), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    upload: { configuration, console in
      try console.print(
        "to \(configuration.destinations), sessions \(configuration.sessions), "
          + "newest first \(configuration.newestFirst), now \(configuration.ignoresHours), "
          + "dry run \(configuration.isDryRun), json \(configuration.reportsJSON), "
          + "store \(configuration.store.path())")
      return .ok
    },
    uploads: { configuration, console in
      try console.print(
        "\(configuration.action?.rawValue ?? "show") \(configuration.destinations), "
          + "json \(configuration.reportsJSON), store \(configuration.store.path())")
      return .ok
    },
    fetch: { configuration, console in
      try console.print(
        "\(configuration.destination) \(configuration.record ?? "-"), "
          + "\(configuration.format.map { "\($0)" } ?? "-"), user \(configuration.user ?? "-"), "
          + "output \(configuration.output ?? "-"), json \(configuration.reportsJSON), "
          + "store \(configuration.store.path())")
      return .ok
    },
    reset: { configuration, console in
      try console.print(
        "\(configuration.board), store \(configuration.store.path())"
          + configuration.adapters.text)
      return .ok
    },
    forget: { configuration, console in
      try console.print("\(configuration.board), store \(configuration.store.path())")
      return .ok
    },
    sensors: { configuration, console in
      try console.print("\(configuration.board.rawValue), json \(configuration.reportsJSON)")
      return .ok
    },
    simulate: { configuration, console in
      try console.print(
        "\(configuration.boards) boards \(configuration.model), "
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
          + (configuration.commandLine.isEmpty ? "" : ", runs \(configuration.commandLine)"))
      return .ok
    },
    gps: { configuration, console in
      try console.print(
        "\(configuration.source?.description ?? "-"), "
          + "speed \(configuration.speed.map { "\($0.rawValue)" } ?? "-"), "
          + "\(configuration.seconds.map { "\($0) s" } ?? "until interrupted"), "
          + "json \(configuration.reportsJSON)")
      return .ok
    },
    inspect: { configuration, console in
      try console.print(
        "\(configuration.format), board \(configuration.board?.rawValue ?? "-"), "
          + "json \(configuration.reportsJSON), file \(configuration.file ?? "-")")
      return .ok
    },
    receive: { configuration, console in
      try console.print(
        "into \(configuration.into ?? "-"), at \(configuration.address), "
          + "token \(configuration.tokenFile ?? "-"), "
          + "certificate \(configuration.certificateFile ?? "-"), "
          + "key \(configuration.keyFile ?? "-"), json \(configuration.reportsJSON)")
      return .ok
    },
    completeBoards: { configuration, console in
      try console.print("\(configuration.prefix ?? "-"), store \(configuration.store.path())")
      return .ok
    },
    completeDestinations: { configuration, console in
      try console.print("\(configuration.prefix ?? "-"), store \(configuration.store.path())")
      return .ok
    })

  /// A demo with this body.
  static func demo(_ body: @escaping Body<DemoConfiguration>) -> Commands {
    var commands = Commands.probes
    commands.demo = body
    return commands
  }
}
