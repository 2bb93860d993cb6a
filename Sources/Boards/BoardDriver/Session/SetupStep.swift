internal import MetaWearProtocol

/// One thing to be done while a board is set up, most of them a question and its answer.
enum SetupStep: Equatable {
  case identify(ModuleID)
  case readClock
  /// Stop what an earlier connection may have left running, and wait until it has.
  case clear
  case configure(Int)
  /// Make the packer of a stream.
  case pack(Int)
  /// Make what counts or stamps a stream's samples.
  case stamp(Int)
  /// Make the timer that asks for a stream's samples.
  case time(Int)
  /// Make the event by which it asks.
  case ask(Int)
  /// Have the board carry this out when the link is lost.
  case arm(Command)

  /// Whether the board makes something in it and answers with an id.
  var isCreation: Bool {
    switch self {
    case .pack, .stamp, .time, .ask, .arm: true
    case .identify, .readClock, .clear, .configure: false
    }
  }

  /// Module 11 comes first: until the connection parameters are sent, 420 ms of silence end the
  /// link.
  static let order = [ModuleID.settings] + ModuleID.allCases.filter { $0 != .settings }

  /// Asks every module who it is.
  static let identification = order.map { SetupStep.identify($0) }
}

/// An id the board has given to something it made.
struct GivenID: Hashable {
  let module: ModuleID
  let id: UInt8
}

/// A stream on its way to be set up.
struct PlannedStream {
  let setup: SensorSetup
  /// The layout it is to have.
  var kind: StreamLayout.Kind
  let isForced: Bool
  /// The packer in front of the counter.
  var packer: UInt8?
  /// What counts or stamps its samples.
  var processor: UInt8?
  /// What asks for its samples on the board.
  var timer: UInt8?

  init(_ plan: StreamPlan.Stream) {
    setup = plan.setup
    kind = plan.layout
    isForced = plan.isForced
  }

  /// The stream as far as it is set up.
  var stream: BoardStream {
    let layout: StreamLayout =
      switch (kind, processor) {
      case (.countedPair, let processor?): .countedPair(processor: processor)
      case (.counted, let processor?):
        .counted(processor: processor, stampLength: stampLength)
      case (.timed, let processor?): .timed(processor: processor)
      case (.packed, _): .packed
      default: .single
      }
    return BoardStream(setup, layout: layout)
  }

  /// What is to be put between sensor and link, and on what.
  var packing: DataProcessor {
    .create(
      .packer(sampleLength: setup.samples.encoding.length, count: 2), on: setup.samples.signal)
  }

  /// What is to count or to stamp, and on what.
  var stamping: DataProcessor {
    let source =
      packer.map { .processor($0, length: setup.samples.encoding.length) } ?? setup.samples.signal
    let function = ProcessorFunction.accounter(isTime: kind == .timed, stampLength: stampLength)
    return .create(function, on: source)
  }

  /// Bytes of the count. A packer announces but one of the samples it puts out.
  private var stampLength: Int {
    kind == .counted
      ? ProcessorFunction.stampLength(
        isTime: false, inputLength: setup.samples.encoding.length) : 4
  }

  /// Seconds from one answer to the next, where it has to be asked for.
  var pollSeconds: Double { 1 / setup.rate }

  /// The steps that set it up on a board with these modules.
  func steps(_ index: Int, on modules: ModuleTable) -> [SetupStep] {
    var steps = [SetupStep.configure(index)]
    if kind == .countedPair { steps.append(.pack(index)) }
    if kind.needsProcessor { steps.append(.stamp(index)) }
    if setup.poll != nil, modules.has(.timer), modules.has(.event) {
      steps += [.time(index), .ask(index)]
    }
    return steps
  }
}
