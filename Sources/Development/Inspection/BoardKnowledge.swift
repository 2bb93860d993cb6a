internal import MetaWearProtocol

/// The current knowledge about one board, from the capture and from the model that the user
/// specified.
struct BoardKnowledge {
  /// The modules that the board reported, or its model's modules.
  var modules: ModuleTable
  /// Modules that are absent from the board or from its model.
  var absent: Set<ModuleID> = []
  /// Chips inferred from a setting that only one chip supports.
  var inferred: [ModuleID: ModuleInfo] = [:]
  /// The rates and ranges of motion sensors, as last written or read.
  var settings: [ModuleID: SensorConfiguration] = [:]
  var fusion: SensorFusion.Configuration?
  var processors: [UInt8: Processor] = [:]
  /// The signals recorded by the log's triggers, by trigger id.
  var triggers: [UInt8: SignalSource] = [:] { didSet { assembler = nil } }
  /// Descriptions of events and timers, by module and id.
  var made: [ModuleID: [UInt8: String]] = [:]
  /// Unanswered requests to create objects, oldest first.
  var pending: [ModuleID: [Creation]] = [:]
  /// The processor or trigger that was queried last. It is stored because the reply does not repeat
  /// the id.
  var queried: [ModuleID: UInt8] = [:]
  /// An event's first command, until the second command with its parameters arrives.
  var openEvent: Event?
  /// The first two bytes of a long command that is being stored in a macro.
  var macroStart: [UInt8] = []
  /// The last reading of the board's clock.
  var clock: TimeReference?
  /// Assembles logged values from their log entries; `nil` after a change of triggers, until the
  /// next entry.
  var assembler: LogAssembler?
  /// The last count from each counting processor.
  var counts: [UInt8: UInt32] = [:]
  /// The module and register numbers of values that were read or subscribed to. Bit 7 of the
  /// register is set after a read.
  var asked: Set<[UInt8]> = []
  /// Whether the capture contains any commands. If it contains none, a missing request is normal.
  var hasCommands = false
  /// Headers of notifications that were already reported as unrequested.
  var remarked: Set<[UInt8]> = []

  /// A data processor on the board, with its configuration.
  struct Processor: Hashable {
    let function: ProcessorFunction
    let source: SignalSource
  }

  /// An object that receives its id in the board's reply.
  enum Creation: Hashable {
    case processor(Processor)
    case trigger(SignalSource)
    case other(String)
  }

  /// Creates the state for a new board. If a table is given, modules missing from it are treated as
  /// absent.
  init(preset: ModuleTable?) {
    modules = preset ?? ModuleTable()
    if let preset { absent = Set(ModuleID.allCases.filter { !preset.has($0) }) }
  }

  /// A module table for decoding packets, and the assumption on which it is based.
  struct Reading {
    let modules: ModuleTable
    let assumption: String?
  }

  /// Returns candidate module tables for decoding a module's packets, most likely first.
  func readings(of module: ModuleID?) -> [Reading] {
    guard let module, module == .accelerometer || module == .gyroscope,
      modules[module] == nil, !absent.contains(module)
    else { return [Reading(modules: modules, assumption: nil)] }
    let isBMI270 =
      modules.accelerometer?.chip == .bmi270 || modules.gyroscope?.chip == .bmi270
      || inferred[.accelerometer]?.implementation == Accelerometer.Chip.bmi270.rawValue
    let knowsOther = modules.accelerometer != nil || modules.gyroscope != nil || !inferred.isEmpty
    var infos = module == .accelerometer ? Self.accelerometers : Self.gyroscopes
    if let info = inferred[module] {
      // Try the inferred chip first, then the other chips, because one capture may contain packets
      // from two boards.
      infos = [info] + infos.filter { $0 != info }
    } else if knowsOther {
      let newest = infos.removeFirst()
      infos = isBMI270 ? [newest] : infos
    }
    return infos.map { info in
      var table = modules
      table[module] = info
      return Reading(
        modules: table,
        assumption: "the \(module.name) is a \(table.chips[module] ?? "chip of an unknown type")")
    }
  }

  // Newest chips first, each with the latest known revision of its module.
  private static let accelerometers = [
    ModuleInfo(implementation: 4, revision: 0), ModuleInfo(implementation: 1, revision: 2),
    ModuleInfo(implementation: 3, revision: 2), ModuleInfo(implementation: 0, revision: 1),
  ]
  private static let gyroscopes = [
    ModuleInfo(implementation: 1, revision: 0), ModuleInfo(implementation: 0, revision: 1),
  ]
}
