internal import MetaWearProtocol

/// All that is known of one board so far, from a capture and from the model named by the user.
struct BoardKnowledge {
  /// The modules that the board reported, or those of its model.
  var modules: ModuleTable
  /// Modules that the board, or its model, does not have.
  var absent: Set<ModuleID> = []
  /// Chips inferred from a setting that only one of them has.
  var inferred: [ModuleID: ModuleInfo] = [:]
  /// Rate and range of motion sensors, as last written or read.
  var settings: [ModuleID: SensorConfiguration] = [:]
  /// Settings of the sensor fusion.
  var fusion: SensorFusion.Configuration?
  /// Processors by their ids.
  var processors: [UInt8: Processor] = [:]
  /// The signals that the log's triggers record.
  var triggers: [UInt8: SignalSource] = [:] { didSet { assembler = nil } }
  /// The actions of events and timers.
  var made: [ModuleID: [UInt8: String]] = [:]
  /// Unanswered requests to create an object, oldest first.
  var pending: [ModuleID: [Creation]] = [:]
  /// The processor or trigger last queried; the answer does not repeat its id.
  var queried: [ModuleID: UInt8] = [:]
  /// The first half of an event whose parameters are still to come.
  var openEvent: Event?
  /// The first two bytes of a long command that is being stored in a macro.
  var macroStart: [UInt8] = []
  /// The board's clock when last read.
  var clock: TimeReference?
  /// Assembles logged values from their pieces.
  var assembler: LogAssembler?
  /// The last count of each counting processor.
  var counts: [UInt8: UInt32] = [:]
  /// Headers that were read or subscribed, each with its index if it has one.
  var asked: Set<[UInt8]> = []
  /// Whether the capture has commands at all; without commands no request can be missing.
  var hasCommands = false
  /// Headers already reported as unrequested.
  var remarked: Set<[UInt8]> = []

  /// A data processor.
  struct Processor: Hashable {
    let function: ProcessorFunction
    let source: SignalSource
  }

  /// An object that gets its id with the board's answer.
  enum Creation: Hashable {
    case processor(Processor)
    case trigger(SignalSource)
    case other(String)
  }

  /// A board with these modules; modules missing in a given table count as absent.
  init(preset: ModuleTable?) {
    modules = preset ?? ModuleTable()
    if let preset { absent = Set(ModuleID.allCases.filter { !preset.has($0) }) }
  }

  /// A table for decoding packets, and the assumption it makes.
  struct Reading {
    let modules: ModuleTable
    let assumption: String?
  }

  /// The possible tables for decoding packets of a module, likeliest first.
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
      // A board seldom changes its chip, but one list may contain two boards.
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
