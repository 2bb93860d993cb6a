internal import CDBus
internal import LinuxSystem

/// A bus inside this process, without a daemon or sockets. Simulations use it to run a service and
/// its clients alternately on one thread.
///
/// Routes messages like `dbus-daemon`: calls and replies go to one client, signals to all. Match
/// rules are ignored, so every client receives all signals.
public final class InProcessBus: Sendable {
  // Safety: an undelivered message is never modified, and only one client at a time reads it.
  /// A message that has not been delivered yet.
  @safe private struct Parcel: Sendable {
    nonisolated(unsafe) let raw: OpaquePointer
  }

  /// A client of the bus.
  final class Member: Sendable {
    let name: String
    let bell: WakeUp
    private let inbox = Guarded<[Parcel]>([])
    private let isConnectedFlag = Guarded(true)

    fileprivate init(_ name: String) throws(SystemError) {
      self.name = name
      bell = try WakeUp()
    }

    var isConnected: Bool { isConnectedFlag.withLock { $0 } }

    fileprivate func disconnect() {
      isConnectedFlag.withLock { $0 = false }
      while next() != nil {}
    }

    fileprivate func deliver(_ message: borrowing Message) {
      guard isConnected, let raw = unsafe dbus_message_ref(message.raw) else { return }
      inbox.withLock { unsafe $0.append(Parcel(raw: raw)) }
      bell.ring()
    }

    /// Removes and returns the oldest message for this client.
    func next() -> Message? {
      bell.clear()
      guard let parcel = inbox.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
      return unsafe Message(owning: parcel.raw)
    }
  }

  /// A call that has not been answered yet.
  private struct OpenCall: Hashable {
    var caller: String
    var serial: UInt32
  }

  private struct State {
    var members: [String: Member] = [:]
    /// The owner's unique name, by well-known name.
    var owners: [String: String] = [:]
    /// The unanswered calls, by the called client's unique name.
    var openCalls: [String: Set<OpenCall>] = [:]
    var memberCount = 0
    var serial: UInt32 = 0
  }

  private static let name = "org.freedesktop.DBus"
  private static let path = "/org/freedesktop/DBus"

  private let state = Guarded(State())

  public init() {}

  func join() throws(SystemError) -> Member {
    let number = state.withLock { state in
      state.memberCount += 1
      return state.memberCount
    }
    let member = try Member(":1.\(number)")
    state.withLock { $0.members[member.name] = member }
    changeOwner(of: member.name, from: "", to: member.name)
    return member
  }

  /// The client's names become free, and the calls that it has not answered fail.
  func leave(_ member: Member) {
    member.disconnect()
    let (names, calls) = state.withLock { state in
      state.members[member.name] = nil
      let names = state.owners.filter { $0.value == member.name }.map(\.key).sorted()
      for name in names { state.owners[name] = nil }
      return (names, state.openCalls.removeValue(forKey: member.name) ?? [])
    }
    for name in names + [member.name] { changeOwner(of: name, from: member.name, to: "") }
    for call in calls.sorted(by: { $0.serial < $1.serial }) {
      fail(
        call, "\(Self.name).Error.NoReply",
        "Message recipient disconnected from message bus without replying")
    }
  }

  /// Removes all clients except the owner of a name, as if the clients' programs had been killed.
  public func removeClients(except name: String) {
    let members = state.withLock { state in
      state.members.values.filter { $0.name != state.owners[name] }.sorted { $0.name < $1.name }
    }
    for member in members { leave(member) }
  }

  /// Assigns a well-known name to a client. Returns `false` if a client already owns it.
  func own(_ name: String, by member: Member) -> Bool {
    let isFree = state.withLock { state in
      if state.owners[name] != nil { return false }
      state.owners[name] = member.name
      return true
    }
    if isFree { changeOwner(of: name, from: "", to: member.name) }
    return isFree
  }

  /// Returns the message's serial number.
  func send(_ message: borrowing Message, from member: Member) -> UInt32 {
    let serial = stamp(message, from: member.name)
    switch message.kind {
    case .call where message.destination == Self.name: serve(message, member, serial)
    case .call: call(message, member, serial)
    case .reply, .error: answer(message, from: member)
    case .signal: broadcast(message, except: member.name)
    case nil: break
    }
    return serial
  }

  private func call(_ message: borrowing Message, _ caller: Member, _ serial: UInt32) {
    let call = OpenCall(caller: caller.name, serial: serial)
    let destination = message.destination
    let wantsReply = message.wantsReply
    let callee = state.withLock { state -> Member? in
      let callee = state.members[state.owners[destination] ?? destination]
      if let callee, wantsReply { state.openCalls[callee.name, default: []].insert(call) }
      return callee
    }
    guard let callee else {
      return fail(
        call, "\(Self.name).Error.ServiceUnknown",
        "The name \(destination) was not provided by any .service files")
    }
    callee.deliver(message)
  }

  private func answer(_ message: borrowing Message, from callee: Member) {
    let call = OpenCall(caller: message.destination, serial: message.replySerial)
    let caller = state.withLock { state in
      state.openCalls[callee.name]?.remove(call) != nil ? state.members[call.caller] : nil
    }
    caller?.deliver(message)
  }

  private func fail(_ call: OpenCall, _ name: String, _ text: String) {
    guard let caller = state.withLock({ $0.members[call.caller] }) else { return }
    let error = Message(failureOf: call.serial, name: name, message: text, to: call.caller)
    _ = stamp(error, from: Self.name)
    caller.deliver(error)
  }

  /// Implements the bus's own methods. Every signal goes to every client, so a match rule has no
  /// effect.
  private func serve(_ message: borrowing Message, _ caller: Member, _ serial: UInt32) {
    let name = message.arguments().first?.text ?? ""
    let owner = state.withLock { $0.owners[name] ?? ($0.members[name] != nil ? name : nil) }
    let values: [BusValue]
    switch message.member {
    case "AddMatch", "RemoveMatch": values = []
    case "NameHasOwner": values = [.boolean(owner != nil)]
    case "GetNameOwner" where owner != nil: values = [.string(owner ?? "")]
    default:
      return fail(
        OpenCall(caller: caller.name, serial: serial), "\(Self.name).Error.NameHasNoOwner",
        "Could not get owner of name '\(name)': no such name")
    }
    guard message.wantsReply else { return }
    let reply = message.reply(values)
    _ = stamp(reply, from: Self.name)
    caller.deliver(reply)
  }

  private func changeOwner(of name: String, from old: String, to new: String) {
    let signal = Message(
      BusSignal(
        "NameOwnerChanged", from: Self.path, of: Self.name,
        [.string(name), .string(old), .string(new)]))
    _ = stamp(signal, from: Self.name)
    broadcast(signal, except: name)
  }

  private func broadcast(_ message: borrowing Message, except sender: String) {
    // Clients receive a signal in a fixed order so that the simulation is reproducible.
    let members = state.withLock { state in
      state.members.values.filter { $0.name != sender }.sorted { $0.name < $1.name }
    }
    for member in members { member.deliver(message) }
  }

  private func stamp(_ message: borrowing Message, from sender: String) -> UInt32 {
    let serial = state.withLock { state in
      state.serial += 1
      return state.serial
    }
    unsafe dbus_message_set_serial(message.raw, serial)
    unsafe dbus_message_set_sender(message.raw, sender)
    return serial
  }
}

extension InProcessBus: Hashable {
  public static func == (one: InProcessBus, other: InProcessBus) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
