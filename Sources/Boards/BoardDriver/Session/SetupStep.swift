internal import MetaWearProtocol
internal import Recording

/// One step of setting up a board, usually a request and its answer.
enum SetupStep: Equatable {
  case identify(ModuleID)
  case readClock
  /// Read how many samples of a stream the board counted on the previous link.
  case recount(Int)
  /// Stop everything that an earlier connection may have left running, and wait until it has
  /// stopped.
  case clear
  case configure(Int)
  /// Create the packer of a stream.
  case pack(Int)
  /// Create the processor that counts or stamps a stream's samples.
  case stamp(Int)
  /// Create the counter beside a stream.
  case count(Int)
  /// Create the timer that asks for a stream's samples.
  case time(Int)
  /// Create the event by which the timer asks.
  case ask(Int)
  /// Store this command on the board, to run when the link is lost.
  case arm(Command)

  /// Whether the board creates an object in this step and answers with an id.
  var isCreation: Bool {
    switch self {
    case .pack, .stamp, .count, .time, .ask, .arm: true
    case .identify, .readClock, .recount, .clear, .configure: false
    }
  }

  /// Module 11 comes first: until the connection parameters are sent, 420 ms of silence end the
  /// link.
  static let order = [ModuleID.settings] + ModuleID.allCases.filter { $0 != .settings }

  /// Steps that identify every module.
  static let identification = order.map { SetupStep.identify($0) }
}

/// An id that the board has given to a created object.
struct GivenID: Hashable {
  let module: ModuleID
  let id: UInt8
}

/// A stream that is being set up.
struct PlannedStream {
  let setup: SensorSetup
  /// The intended layout.
  var kind: StreamLayout.Kind
  let isForced: Bool
  /// The packer before the counter.
  var packer: UInt8?
  /// The processor that counts or stamps its samples.
  var processor: UInt8?
  /// The processor that counts its samples beside the stream.
  var counter: UInt8?
  /// Whether it has a counter, as far as is known: once it is being recorded it gets none.
  var isCounted = true
  /// The timer that asks for its samples on the board.
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
    return BoardStream(setup, layout: layout, counter: counter)
  }

  /// The packer to create, and its source.
  var packing: DataProcessor {
    .create(
      .packer(sampleLength: setup.samples.encoding.length, count: 2), on: setup.samples.signal)
  }

  /// The counting or stamping processor to create, and its source.
  var stamping: DataProcessor {
    let source =
      packer.map { .processor($0, length: setup.samples.encoding.length) } ?? setup.samples.signal
    let function = ProcessorFunction.accounter(isTime: kind == .timed, stampLength: stampLength)
    return .create(function, on: source)
  }

  /// The counter to create beside the stream, and its source.
  var counting: DataProcessor {
    .create(
      .eventCounter(
        ProcessorFunction.Sizes(input: min(4, setup.samples.encoding.length), output: 4)),
      on: setup.samples.signal)
  }

  /// Bytes of the count. A packer announces the length of only one of the samples in its output.
  private var stampLength: Int {
    kind == .counted
      ? ProcessorFunction.stampLength(
        isTime: false, inputLength: setup.samples.encoding.length) : 4
  }

  /// Seconds between two reads of a stream that must be polled.
  var pollSeconds: Double { 1 / setup.rate }

  /// The steps that set the stream up on a board with these modules.
  func steps(_ index: Int, on modules: ModuleTable) -> [SetupStep] {
    var steps = [SetupStep.configure(index)]
    if kind == .countedPair { steps.append(.pack(index)) }
    if kind.needsProcessor { steps.append(.stamp(index)) }
    if isCounted, !setup.samples.isRead, modules.has(.dataProcessor) {
      steps.append(.count(index))
    }
    if setup.poll != nil, modules.has(.timer), modules.has(.event) {
      steps += [.time(index), .ask(index)]
    }
    return steps
  }
}
