/// One recording: it spans boards and streams, and begins and ends on the boot clock.
public struct Session: Hashable, Sendable {
  /// Identifier for ever.
  public var id: UniqueID
  /// The boot in which it was recorded, from the kernel.
  public var bootID: UniqueID
  /// Start of the recording.
  public var start: BootTime
  /// End; `nil` while it is open, or when the recorder was cut off.
  public var end: BootTime?
  /// The user's remark.
  public var note: String

  /// A session with the given parts.
  public init(
    id: UniqueID = .random(), bootID: UniqueID, start: BootTime, end: BootTime? = nil,
    note: String = ""
  ) {
    self.id = id
    self.bootID = bootID
    self.start = start
    self.end = end
    self.note = note
  }
}

/// Who a board is, as it said itself.
public struct BoardIdentity: Hashable, Sendable {
  /// Its Bluetooth address.
  public var address: BoardAddress
  /// The name it advertises, or the one the user gave it.
  public var name: String
  /// Model, such as `MetaMotion S`.
  public var model: String
  /// Firmware revision, such as `1.7.2`.
  public var firmware: String

  /// An identity with the given parts.
  public init(address: BoardAddress, name: String, model: String, firmware: String) {
    self.address = address
    self.name = name
    self.model = model
    self.firmware = firmware
  }
}
