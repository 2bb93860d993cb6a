internal import LinuxSystem
public import Values

/// One board's link through one adapter.
public struct LinkPlace: Hashable, Sendable {
  /// The adapter, by its address or as `hciN`.
  public var adapter: String
  public var board: BoardAddress
  /// Kind of the board's address.
  public var type: AddressType

  /// A link between an adapter and a board.
  public init(adapter: String, board: BoardAddress, type: AddressType = .random) {
    self.adapter = adapter
    self.board = board
    self.type = type
  }
}

/// Changes links past bluetoothd, directly at the kernel and the controller.
///
/// Both methods need a capability, and a network namespace that has Bluetooth. Without one of these
/// the method is missing from the `abilities`. Using it nevertheless is an error that names the
/// missing part; nothing else depends on it. Controllers answer slowly, so a separate thread,
/// `hci`, waits for them.
///
/// A process with the capability gives the kernel a fast connection for a board:
///
///     let controller = HostController()
///     if controller.abilities.contains(.load) {
///       try await controller.load(link, .fast)
///     }
///     controller.stop()
public final class HostController: Sendable {
  /// Methods available to this process.
  public struct Abilities: OptionSet, Hashable, Sendable {
    /// Our own bits, independent of the kernel's.
    public let rawValue: UInt8

    /// Abilities with these bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Changing a live link: CAP_NET_RAW.
    public static let update = Abilities(rawValue: 1)
    /// Giving the kernel parameters to use: CAP_NET_ADMIN.
    public static let load = Abilities(rawValue: 2)

    /// Abilities that follow from capabilities; none if the kernel has no Bluetooth sockets.
    public init(_ capabilities: Capabilities, hasSockets: Bool) {
      self = []
      guard hasSockets else { return }
      if capabilities.canCommand { insert(.update) }
      if capabilities.canManage { insert(.load) }
    }
  }

  private enum Work: Sendable {
    case update, load
  }

  private enum Request: Sendable {
    case perform(Work, LinkPlace, ConnectionParameters, Reply<HostControllerError?>)
    case stop
  }

  /// Abilities of this process when this was created.
  public let abilities: Abilities
  private let mailbox: Mailbox<Request>?
  private let thread: NamedThread?

  /// Determines the abilities; starts a thread only if there are any.
  public convenience init() {
    self.init(abilities: Abilities(.current(), hasSockets: Self.hasSockets))
  }

  /// Whether the kernel offers Bluetooth sockets to this process: not in most containers.
  public static var hasSockets: Bool { AdapterSocket.exists }

  /// A controller limited to these abilities.
  public init(abilities: Abilities) {
    guard !abilities.isEmpty, let mailbox = try? Mailbox<Request>(),
      let thread = try? NamedThread("hci", { Self.serve(mailbox) })
    else {
      // If the system cannot start another thread, no link is changed.
      self.abilities = []
      mailbox = nil
      thread = nil
      return
    }
    self.abilities = abilities
    self.mailbox = mailbox
    self.thread = thread
  }

  deinit {
    stop()
  }

  /// Changes the parameters of a live link; returns when the controller has done so.
  public func update(
    _ link: LinkPlace, _ parameters: ConnectionParameters
  ) async throws(HostControllerError) {
    guard abilities.contains(.update) else { throw Self.missing("CAP_NET_RAW") }
    try await perform(.update, link, parameters)
  }

  /// Makes the kernel use parameters at a board's next connect; newer kernels change its live link
  /// too.
  public func load(
    _ link: LinkPlace, _ parameters: ConnectionParameters
  ) async throws(HostControllerError) {
    guard abilities.contains(.load) else { throw Self.missing("CAP_NET_ADMIN") }
    try await perform(.load, link, parameters)
  }

  /// Ends the thread, after the request it is waiting for.
  public func stop() {
    _ = mailbox?.post(.stop)
    thread?.join()
  }

  private static func missing(_ capability: String) -> HostControllerError {
    HostControllerError(.notPermitted, "\(capability) or Bluetooth itself is missing here")
  }

  private func perform(
    _ work: Work, _ link: LinkPlace, _ parameters: ConnectionParameters
  ) async throws(HostControllerError) {
    if let violation = parameters.violation {
      throw HostControllerError(
        .invalid, "invalid connection parameters: \(violation.rawValue)")
    }
    let failure = await Reply<HostControllerError?>.wait { reply in
      if mailbox?.post(.perform(work, link, parameters, reply)) != true { reply.give(Self.stopped) }
    }
    if let failure { throw failure }
  }

  private static let stopped = HostControllerError(.refused, "the session is over")

  private static func serve(_ mailbox: Mailbox<Request>) {
    var polls = PollSet()
    polls.add(mailbox.bell.number)
    var isRunning = true
    while isRunning {
      polls.wait(seconds: nil)
      for request in mailbox.takeAll() {
        switch request {
        case .perform(let work, let link, let parameters, let reply):
          reply.give(isRunning ? outcome(of: work, link, parameters) : stopped)
        case .stop:
          isRunning = false
        }
      }
    }
    for case .perform(_, _, _, let reply) in mailbox.shut() { reply.give(stopped) }
  }

  private static func outcome(
    of work: Work, _ link: LinkPlace, _ parameters: ConnectionParameters
  ) -> HostControllerError? {
    do throws(HostControllerError) {
      switch work {
      case .update: try AdapterSocket.update(link, parameters)
      case .load: try AdapterSocket.load(link, parameters)
      }
      return nil
    } catch {
      return error
    }
  }
}
