internal import MetaWearProtocol
internal import Recording

/// A step in setting up a board, usually a request followed by a response.
enum SetupStep: Equatable {
  case identify(ModuleID)
  case readClock
  /// Read how many samples of this stream the board counted on the previous link.
  case recount(Int)
  /// Stop everything that an earlier connection may have left running, then wait for the sensors to
  /// settle.
  case clear
  case configure(Int)
  /// Create this stream's packer.
  case pack(Int)
  /// Create the processor that counts or timestamps this stream's samples.
  case stamp(Int)
  /// Create the counter that counts this stream's samples without changing the stream.
  case count(Int)
  /// Create the timer that triggers reads of this stream's samples.
  case time(Int)
  /// Create the event that makes this stream's timer read a sample.
  case ask(Int)
  /// Store this command on the board, which will execute it when the link is lost.
  case arm(Command)

  /// Whether the board creates an object in this step, and responds with the object's id.
  var isCreation: Bool {
    switch self {
    case .pack, .stamp, .count, .time, .ask, .arm: true
    case .identify, .readClock, .recount, .clear, .configure: false
    }
  }

  /// Order of the module queries. The settings module (11) comes first: until the connection
  /// parameters have been sent, the link drops after 420 ms of silence.
  static let order = [ModuleID.settings] + ModuleID.allCases.filter { $0 != .settings }

  /// Steps that identify every module on the board.
  static let identification = order.map { SetupStep.identify($0) }
}

/// The id that the board assigned to an object it created.
struct GivenID: Hashable {
  let module: ModuleID
  let id: UInt8
}

/// A stream that is being set up, with the ids that the board has assigned so far.
struct PlannedStream {
  let setup: SensorSetup
  var kind: StreamLayout.Kind
  let isForced: Bool
  /// Id of the packer that feeds the counter.
  var packer: UInt8?
  /// Id of the processor that counts or timestamps the stream's samples.
  var processor: UInt8?
  /// Id of the processor that counts the stream's samples without changing the stream.
  var counter: UInt8?
  /// Whether to create a counter for the stream. The setup may clear this, for example for a stream
  /// that is already being recorded without one.
  var isCounted = true
  /// Id of the board's timer that triggers reads of the stream's samples.
  var timer: UInt8?

  init(_ plan: StreamPlan.Stream) {
    setup = plan.setup
    kind = plan.layout
    isForced = plan.isForced
  }

  /// The stream as set up so far.
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

  var packing: DataProcessor {
    .create(
      .packer(sampleLength: setup.samples.encoding.length, count: 2), on: setup.samples.signal)
  }

  /// The command that creates the processor that counts or timestamps the stream's samples.
  var stamping: DataProcessor {
    let source =
      packer.map { .processor($0, length: setup.samples.encoding.length) } ?? setup.samples.signal
    let function = ProcessorFunction.accounter(isTime: kind == .timed, stampLength: stampLength)
    return .create(function, on: source)
  }

  var counting: DataProcessor {
    .create(
      .eventCounter(
        ProcessorFunction.Sizes(input: min(4, setup.samples.encoding.length), output: 4)),
      on: setup.samples.signal)
  }

  /// Number of bytes in each count. A plain count uses up to four of the bytes that the sample
  /// leaves free in the packet. If a packer feeds the counter, the count always has four bytes,
  /// because a packer declares only the length of a single sample.
  private var stampLength: Int {
    kind == .counted
      ? ProcessorFunction.stampLength(
        isTime: false, inputLength: setup.samples.encoding.length) : 4
  }

  /// Seconds between reads of a stream that must be polled.
  var pollSeconds: Double { 1 / setup.rate }

  /// Returns the steps that set up the stream at `index` on a board with these modules.
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
