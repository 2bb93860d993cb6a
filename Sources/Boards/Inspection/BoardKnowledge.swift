internal import MetaWearProtocol

/// What is known of one board so far, from a capture and from the model that the user named.
struct BoardKnowledge {
  /// The modules the board told of, or those of its model.
  var modules: ModuleTable
  /// Modules the board said it does not have, or its model does not.
  var absent: Set<ModuleID> = []
  /// Chips inferred from a setting that only one of them has.
  var inferred: [ModuleID: ModuleInfo] = [:]
  /// Rate and range of motion sensors, as written or read last.
  var settings: [ModuleID: SensorConfiguration] = [:]
  /// What the fusion is set to.
  var fusion: SensorFusion.Configuration?
  /// Processors by their ids.
  var processors: [UInt8: Processor] = [:]
  /// What triggers of the log record.
  var triggers: [UInt8: SignalSource] = [:] { didSet { assembler = nil } }
  /// What events and timers do.
  var made: [ModuleID: [UInt8: String]] = [:]
  /// Requests to make something that have not been answered, oldest first.
  var pending: [ModuleID: [Creation]] = [:]
  /// The processor or trigger that was asked about last; the answer does not repeat its id.
  var queried: [ModuleID: UInt8] = [:]
  /// The first half of an event whose parameters are to follow.
  var openEvent: Event?
  /// The first two bytes of a long command that goes into a macro.
  var macroStart: [UInt8] = []
  /// The board's clock as it was read last.
  var clock: TimeReference?
  /// Puts logged values together.
  var assembler: LogAssembler?
  /// The last count of each counting processor.
  var counts: [UInt8: UInt32] = [:]
  /// Headers, with the index where there is one, that were read or subscribed.
  var asked: Set<[UInt8]> = []
  /// Whether the capture has commands at all; without any, nothing can be missing.
  var hasCommands = false
  /// Headers that were remarked on as not asked for.
  var remarked: Set<[UInt8]> = []

  /// A data processor.
  struct Processor: Hashable {
    let function: ProcessorFunction
    let source: SignalSource
  }

  /// Something that gets its id when the board answers.
  enum Creation: Hashable {
    case processor(Processor)
    case trigger(SignalSource)
    case other(String)
  }

  /// A board with these modules; those a whole table lacks are absent.
  init(preset: ModuleTable?) {
    modules = preset ?? ModuleTable()
    if let preset { absent = Set(ModuleID.allCases.filter { !preset.has($0) }) }
  }

  /// A table to read packets by, and what it takes for granted.
  struct Reading {
    let modules: ModuleTable
    let assumption: String?
  }

  /// The tables a packet to or from a module may be read by, likeliest first.
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
      // A board seldom changes its chip, but two boards may stand in one list.
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
        assumption: "the \(module.name) is a \(table.chips[module] ?? "chip unknown here")")
    }
  }

  // Newest first; the revisions are the latest known.
  private static let accelerometers = [
    ModuleInfo(implementation: 4, revision: 0), ModuleInfo(implementation: 1, revision: 2),
    ModuleInfo(implementation: 3, revision: 2), ModuleInfo(implementation: 0, revision: 1),
  ]
  private static let gyroscopes = [
    ModuleInfo(implementation: 1, revision: 0), ModuleInfo(implementation: 0, revision: 1),
  ]
}
