internal import CBluetooth
internal import Glibc
internal import LinuxSystem
internal import Recording
internal import Values

/// Communicates with Bluetooth controllers through libbluetooth and the kernel's Bluetooth sockets.
enum AdapterSocket {
  /// Time limit, in seconds, for a controller's response. A connection parameter update takes
  /// effect several connection intervals after it is requested.
  private static let answerSeconds = 2.0

  /// Whether the kernel offers Bluetooth sockets to this process.
  static var exists: Bool {
    let number = cbluetooth_open()
    guard number >= 0 else { return false }
    _ = OwnedDescriptor(owning: number)
    return true
  }

  /// Changes a live link's connection parameters.
  static func update(
    _ link: LinkPlace, _ parameters: ConnectionParameters
  ) throws(HostControllerError) {
    let adapter = try number(of: link.adapter)
    let number = hci_open_dev(adapter)
    guard number >= 0 else { throw HostControllerError("open \(link.adapter)", errno) }
    let socket = OwnedDescriptor(owning: number)
    let handle = try handle(of: link, adapter, socket)
    let outcome = hci_le_conn_update(
      socket.number, handle.littleEndian, parameters.minimumInterval.littleEndian,
      parameters.maximumInterval.littleEndian, parameters.latency.littleEndian,
      parameters.timeout.littleEndian, Int32(answerSeconds * 1_000))
    guard outcome >= 0 else {
      throw HostControllerError("update the link to \(link.board)", errno)
    }
  }

  /// Makes the kernel use these connection parameters for a board.
  static func load(
    _ link: LinkPlace, _ parameters: ConnectionParameters
  ) throws(HostControllerError) {
    let adapter = try number(of: link.adapter)
    let number = cbluetooth_open()
    guard number >= 0 else { throw HostControllerError("open a Bluetooth socket", errno) }
    let socket = OwnedDescriptor(owning: number)
    guard cbluetooth_bind_to_management(socket.number) == 0 else {
      throw HostControllerError("open the management channel", errno)
    }
    let command = ManagementCommand.load(
      parameters, for: link.board, link.type, on: UInt16(adapter))
    let operation = "load parameters for \(link.board)"
    let written = socket.write(command.bytes)
    guard written >= 0 else { throw HostControllerError(operation, Int32(-written)) }
    if let refusal = try answer(to: command, from: socket, operation).refusal {
      throw HostControllerError(.refused, "cannot \(operation): \(refusal)")
    }
  }

  /// Returns the number N of adapter hciN, given either this name or the adapter's address.
  private static func number(of adapter: String) throws(HostControllerError) -> Int32 {
    let number = unsafe hci_devid(adapter)
    guard number >= 0 else {
      throw HostControllerError(.noAdapter, "there is no adapter \(adapter), or it is off")
    }
    return number
  }

  private static func handle(
    of link: LinkPlace, _ adapter: Int32, _ socket: borrowing OwnedDescriptor
  ) throws(HostControllerError) -> UInt16 {
    var address = bdaddr_t()
    unsafe str2ba(link.board.description, &address)
    let handle = unsafe cbluetooth_link_handle(socket.number, adapter, &address)
    guard handle >= 0 else {
      guard handle == -ENOTCONN else {
        throw HostControllerError("list the links of \(link.adapter)", -handle)
      }
      throw HostControllerError(.noLink, "\(link.board) is not linked to \(link.adapter)")
    }
    return UInt16(handle)
  }

  /// Waits for the kernel's response. Skips other events, because the kernel reports every event to
  /// every client of the channel.
  private static func answer(
    to command: ManagementCommand, from socket: borrowing OwnedDescriptor, _ operation: String
  ) throws(HostControllerError) -> ManagementAnswer {
    let deadline = BootClock.now().advanced(bySeconds: answerSeconds)
    var buffer = [UInt8](repeating: 0, count: 1_024)
    while true {
      let left = deadline.seconds(since: BootClock.now())
      guard left > 0 else { throw HostControllerError(operation, ETIMEDOUT) }
      var polls = PollSet()
      polls.add(socket.number)
      polls.wait(seconds: left)
      let count = socket.read(into: &buffer)
      guard count >= 0 else {
        if count == -Int(EAGAIN) { continue }
        throw HostControllerError(operation, Int32(-count))
      }
      if let answer = ManagementAnswer(Array(buffer.prefix(count)), to: command) { return answer }
    }
  }
}

extension HostControllerError {
  /// Creates the error for a system call that failed with this `errno`.
  init(_ operation: String, _ number: Int32) {
    let kind: Kind =
      switch number {
      case EAFNOSUPPORT, EPROTONOSUPPORT: .absent
      case EPERM, EACCES: .notPermitted
      case ENODEV, ENETDOWN: .noAdapter
      case ENOTCONN: .noLink
      default: .refused
      }
    self.init(kind, SystemError(operation, number: number).description)
  }
}
