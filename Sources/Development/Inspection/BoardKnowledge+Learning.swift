internal import MetaWearProtocol

extension BoardKnowledge {
  /// Records a command's effect on the board.
  mutating func learn(_ meaning: any ModuleCommand, in context: Context) {
    hasCommands = true
    switch meaning {
    case let setting as AccelerometerSetting:
      settings[.accelerometer] = setting.configuration
    case let setting as GyroscopeSetting: settings[.gyroscope] = setting.configuration
    case SensorFusion.configure(let configuration): fusion = configuration
    case DataProcessor.create(let function, let source):
      expect(.processor(Processor(function: function, source: source)), from: .dataProcessor)
    case DataProcessor.modify(let id, let function):
      if let known = processors[id] {
        processors[id] = Processor(function: function, source: known.source)
      }
    case DataProcessor.remove(let id): processors[id] = nil
    case DataProcessor.removeAll: processors = [:]
    case DataProcessor.query(let id): queried[.dataProcessor] = id
    case Logging.queryTrigger(let id): queried[.logging] = id
    case Logging.addTrigger(let source): expect(.trigger(source), from: .logging)
    case Logging.removeTrigger(let id): triggers[id] = nil
    case Logging.removeAllTriggers: triggers = [:]
    case let event as Event: learn(event, in: context)
    case let timer as Timer: learn(timer)
    case Macro.begin: expect(.other("to store commands"), from: .macro)
    case Macro.storeStart(let first, let second): macroStart = [first, second]
    case Macro.store: macroStart = []
    case Debug.reset: forget()
    default: break
    }
    ask(meaning.command)
  }

  /// Records what a notification reveals about the board.
  mutating func learn(_ notification: Notification) {
    switch notification {
    case .moduleInfo(let module, let info):
      modules[module] = info
      if info == nil { absent.insert(module) } else { absent.remove(module) }
      inferred[module] = nil
    case .configuration(let module, let configuration): settings[module] = configuration
    case .fusionConfiguration(let configuration): fusion = configuration
    case .logTrigger(let source):
      if let id = queried.removeValue(forKey: .logging) { triggers[id] = source }
    case .processorDescription(let source, let function):
      if let id = queried.removeValue(forKey: .dataProcessor) {
        processors[id] = function.map { Processor(function: $0, source: source) }
      }
    case .timeReference(let reference): clock = reference
    case .created(let module, let id):
      guard pending[module]?.isEmpty == false, let creation = pending[module]?.removeFirst()
      else { return }
      switch creation {
      case .processor(let processor):
        processors[id] = processor
        counts[id] = nil
      case .trigger(let source): triggers[id] = source
      case .other(let words): made[module, default: [:]][id] = words
      }
    case .processorOutput(let id, let bytes): counts[id] = count(id, bytes)
    default: break
    }
  }

  private mutating func expect(_ creation: Creation, from module: ModuleID) {
    pending[module, default: []].append(creation)
  }

  private mutating func learn(_ event: Event, in context: Context) {
    switch event {
    case .begin(let source, let target, let count, _):
      openEvent = event
      // Some software sends no second command for an event without parameters.
      if count == 0 {
        let at = context.name(of: source.header, index: source.index)
        expect(
          .other("at \(at), \(context.nested([target.moduleCode, target.registerByte]))"),
          from: .event)
      }
    case .parameters(let bytes):
      if case .begin(let source, let target, let count, _)? = openEvent, count > 0 {
        let at = context.name(of: source.header, index: source.index)
        expect(
          .other("at \(at), \(context.nested([target.moduleCode, target.registerByte] + bytes))"),
          from: .event)
      }
      openEvent = nil
    case .remove(let id): made[.event]?[id] = nil
    case .removeAll: made[.event] = nil
    }
  }

  private mutating func learn(_ timer: Timer) {
    switch timer {
    case .create(let period, _, _):
      expect(
        .other("every \(Words.duration(milliseconds: Double(period)))"), from: .timer)
    case .remove(let id): made[.timer]?[id] = nil
    case .start, .stop, .notify: break
    }
  }

  /// Applies a reset. Only settings in flash memory, the log and macros survive it.
  private mutating func forget() {
    settings = [:]
    fusion = nil
    processors = [:]
    triggers = [:]
    made[.timer] = nil
    made[.event] = nil
    pending = [:]
    openEvent = nil
    counts = [:]
  }

  /// Returns the count that an accounter prepends to its output.
  private func count(_ id: UInt8, _ bytes: [UInt8]) -> UInt32? {
    guard case .accounter(isTime: false, let length)? = processors[id]?.function,
      bytes.count >= length
    else { return nil }
    return bytes.prefix(length).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns the number of a counting processor's outputs that were lost just before this one.
  func lost(_ id: UInt8, _ bytes: [UInt8]) -> UInt32? {
    guard case .accounter(_, let length)? = processors[id]?.function,
      let last = counts[id], let now = count(id, bytes)
    else { return nil }
    let mask: UInt32 = length >= 4 ? .max : 1 << UInt32(8 * length) - 1
    let step = (now &- last) & mask
    return step > 1 ? step - 1 : nil
  }
}

/// Checks whether a board's notification was requested.
extension BoardKnowledge {
  /// Records the header of the notification that a command requests.
  private mutating func ask(_ command: Command) {
    let header = command.header
    if header.isRead {
      asked.insert([header.moduleCode, header.register | 0x80])
    } else if case .notify(_, isOn: true)? = Timer(command) {
      asked.insert([header.moduleCode, 0x06])
    } else if command.payload == [1] {
      asked.insert([header.moduleCode, header.register])
    }
  }

  /// Returns the reason why a notification is unexpected. Reports each register only once and
  /// reports nothing if the capture contains no commands.
  mutating func objection(to header: PacketHeader, _ notification: Notification) -> String? {
    switch notification {
    // Some firmware replies to reads from a bus without setting the reply flag.
    case .created, .busData: return nil
    default: break
    }
    let key = [header.moduleCode, header.register | (header.isRead ? 0x80 : 0)]
    guard hasCommands, !asked.contains(key), remarked.insert(key).inserted else { return nil }
    return header.isRead
      ? "a reply to a read that is not in this capture"
      : "its subscription is not in this capture; subscriptions outlive a connection"
  }
}
