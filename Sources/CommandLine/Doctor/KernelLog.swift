internal import Values

/// Kernel messages that explain lost samples and damaged recordings, counted since boot.
struct KernelLog: Hashable, Sendable {
  /// The kind of problem that a message reports.
  enum Trouble: CaseIterable, Hashable, Sendable {
    /// Reading from or writing to a card or disk failed, or its file system stopped after an error.
    case disk
    /// The supply voltage dropped.
    case lowVoltage
    /// An adapter's serial line lost bytes.
    case lostBytes
    /// An adapter did not respond to a command.
    case silentAdapter
    /// An adapter failed to load its firmware.
    case refusedFirmware
    /// An adapter's firmware file is not installed.
    case missingFirmware
  }

  /// The messages about one kind of problem.
  struct Messages: Hashable, Sendable {
    var count = 0
    /// The disk, adapter or firmware file named in the last message, such as `hci0`; empty if the
    /// message names none.
    var subject: Substring = ""
  }

  private(set) var messages: [Trouble: Messages] = [:]
  /// Whether this user can see kernel messages in the journal.
  private(set) var isReadable = false

  /// Counts the relevant messages in a journal's lines.
  init(_ lines: [String]) {
    for line in lines where Self.isOfKernel(line) {
      isReadable = true
      guard let (trouble, subject) = Self.trouble(in: line) else { continue }
      messages[trouble, default: Messages()].count += 1
      if !subject.isEmpty { messages[trouble]?.subject = subject }
    }
  }

  /// Returns the lines for a support report: kernel messages about Bluetooth, serial ports, voltage
  /// and cards, and messages from `journalctl` itself.
  static func report(_ lines: [String]) throws -> [String] {
    let lines = try Journal.fitting(lines, of: "the kernel")
    return lines.filter { line in
      let small = line.lowercased()
      return !isOfKernel(line)
        || ["bluetooth", "tty", "voltage", "mmc"].contains { small.holds($0) }
        || trouble(in: line) != nil
    }
  }

  private static func isOfKernel(_ line: String) -> Bool { line.holds(" kernel: ") }

  private static func trouble(in line: String) -> (Trouble, subject: Substring)? {
    let small = line.lowercased()
    func has(_ words: String...) -> Bool { words.contains { small.holds($0) } }
    // Since kernel 6.6, the message reads 'Undervoltage detected!'.
    if has("under-voltage detected", "undervoltage detected") { return (.lowVoltage, "") }
    // Controllers for Wi-Fi chips and empty card slots also report errors. So the line must name a
    // disk, unless only memory cards can cause the message.
    if has("card stuck in programming state", "cqhci: timeout") { return (.disk, "") }
    if let disk = disk(in: line),
      has(
        "i/o error", "io error", "error -", "medium error", "ext4-fs error", "btrfs error",
        "f2fs-fs error", "aborting journal", "remounting filesystem read-only", "recovery failed",
        "timed out sending")
    {
      return (.disk, disk)
    }
    guard has("bluetooth") else { return nil }
    let words = line.split(separator: " ")
    let adapter =
      words.lazy.map { $0.prefix { $0 != ":" } }
      .first { $0.hasPrefix("hci") && $0.dropFirst(3).allSatisfy(\.isNumber) } ?? ""
    if has("frame reassembly failed") { return (.lostBytes, adapter) }
    // Kernel 6.1 and later write 'Opcode 0x0c03 failed: -110'. For a connect command, the message
    // only means that the board was out of range.
    if has("tx timeout", "bcm: reset failed", "failed to write update baudrate")
      || has("opcode 0x") && small.hasSuffix("failed: -110") && !has("0x200d", "0x2043")
    {
      return (.silentAdapter, adapter)
    }
    if has("download fw command failed") { return (.refusedFirmware, adapter) }
    // If a firmware file is missing, the Broadcom driver lists the paths that it tried.
    if has("bcm: 'brcm/") {
      return (.missingFirmware, line.split(separator: "'").dropFirst().first ?? "")
    }
    // A missing settings file (`_config`) is not reported, because most adapters work without one.
    if has("direct firmware load for "), !has("_config"),
      let place = words.firstIndex(of: "for"), place + 1 < words.count
    {
      return (.missingFirmware, words[place + 1])
    }
    return nil
  }

  /// Returns the disk or partition that a line names, such as `mmcblk0p2` or `sda1`. Drives without
  /// a medium are ignored, because every read from them fails.
  private static func disk(in line: String) -> Substring? {
    line.split { !$0.isLetter && !$0.isNumber }.first { word in
      ["mmcblk", "nvme"].contains {
        word.hasPrefix($0) && word.dropFirst($0.count).first?.isNumber == true
      }
        || (word.hasPrefix("sd") || word.hasPrefix("vd")) && word.count > 2
          && word.dropFirst(2).first?.isLetter == true && word.dropFirst(3).allSatisfy(\.isNumber)
    }
  }
}

// MARK: Judging

extension KernelLog {
  /// Returns findings about the messages. `hardware` contains the adapters that the kernel lists.
  func findings(_ hardware: [AdapterHardware]) -> [Finding] {
    guard isReadable else {
      return [
        .ok(
          .kernel,
          "the journal does not show kernel messages to this user: only root and members of the group "
            + "'systemd-journal' can see them")
      ]
    }
    let found = Trouble.allCases.compactMap { trouble in
      messages[trouble].map { finding(trouble, $0, hardware) }
    }
    return found.isEmpty
      ? [.ok(.kernel, "the kernel reports no problems with adapters, voltage or disks")] : found
  }

  private func finding(
    _ trouble: Trouble, _ messages: Messages, _ hardware: [AdapterHardware]
  ) -> Finding {
    let times = messages.count == 1 ? "once" : "\(messages.count) times"
    let name = messages.subject.isEmpty ? "the adapter" : String(messages.subject)
    let restart =
      hardware.first { $0.name == name }?.remedy ?? "unplug it, or restart the computer"
    switch trouble {
    case .disk:
      let disk = messages.subject.isEmpty ? "the card" : String(messages.subject)
      return .fault(
        .kernel, "\(disk) has failed \(times) since boot",
        remedy:
          "if the disk was not unplugged, save the recordings with 'footbridge store backup', and "
          + "replace the disk; 'journalctl -k -b -g \(messages.subject.isEmpty ? "mmc" : disk)' "
          + "shows the messages")
    case .lowVoltage:
      return .warning(
        .kernel, "the supply voltage has dropped \(times) since boot", remedy: PowerSupply.remedy)
    case .lostBytes:
      return .warning(
        .kernel,
        "the serial line of \(name) has lost bytes \(times) since boot: samples are missing",
        remedy: "use a USB adapter and 'dtoverlay=disable-bt' in config.txt, or fewer boards and "
          + "signals")
    case .silentAdapter:
      return .warning(
        .kernel, "\(name) has failed to respond to a command \(times) since boot",
        remedy: "if boards cannot connect: \(restart)")
    case .refusedFirmware:
      return .warning(
        .kernel, "\(name) has failed to load its firmware \(times) since boot",
        remedy:
          "\(restart); if that does not help, try another USB port, a powered hub "
          + "or another adapter")
    case .missingFirmware:
      return .warning(
        .kernel, "the firmware \(messages.subject) is not installed",
        remedy: Self.packageRemedy(messages.subject) + "; then \(restart)")
    }
  }

  /// Returns instructions for installing a firmware file. They name a package only for the two most
  /// common chip families; the names are valid on Debian and Raspberry Pi OS.
  private static func packageRemedy(_ file: Substring) -> String {
    if file.hasPrefix("rtl_bt/") { return "install it with 'sudo apt install firmware-realtek'" }
    if file.hasPrefix("brcm/") { return "install it with 'sudo apt install bluez-firmware'" }
    return "install the package that contains it"
  }
}
