internal import LinuxSystem
internal import Values

/// A Raspberry Pi: its model and its firmware settings.
struct RaspberryPi: Hashable, Sendable {
  /// The model, such as `Raspberry Pi 4 Model B Rev 1.4`.
  var model: String
  /// The settings file's path.
  var file = "/boot/firmware/config.txt"
  /// The firmware settings that apply to this model, such as `enable_uart=1`, in file order. They
  /// include the settings for all models.
  var settings: [String] = []

  /// Whether this is a Raspberry Pi 5, 500 or Compute Module 5, on which all UARTs are equivalent.
  var isFive: Bool { generation == "5" }

  /// Whether the Wi-Fi supports the 5 GHz band. The Wi-Fi of the 3 Model B and the Zero models does
  /// not.
  var has5GHz: Bool { !model.holds("Zero") && !model.holds("3 Model B Rev") }

  /// Whether the mini UART's clock has a fixed rate. `enable_uart=1` should also fix it, but not
  /// every firmware does so: github.com/raspberrypi/linux/issues/4123.
  var isClockFixed: Bool {
    settings.contains {
      $0.hasPrefix("core_freq=") || ["core_freq_fixed=1", "force_turbo=1"].contains($0)
    }
  }

  var hasBluetoothOnMiniUART: Bool {
    settings.contains { line in
      ["dtoverlay=miniuart-bt", "dtoverlay=pi3-miniuart-bt"].contains { line.hasPrefix($0) }
    }
  }

  /// Instructions for enabling the UART on the pins.
  var remedyForUART: String {
    let setting = isFive ? "dtparam=uart0=on" : "enable_uart=1"
    return settings.contains(setting) || isFive && settings.contains("dtparam=uart0")
      ? "restart the computer: '\(setting)' is set in \(file)"
      : "add '\(setting)' under [all] in \(file), and restart the computer"
  }

  /// The first digit of the model name; 0 for a Zero.
  private var generation: Substring {
    model.holds("Zero") ? "0" : model.drop { !$0.isNumber }.prefix(1)
  }
}

extension RaspberryPi {
  /// Reads the model and the settings. Returns `nil` on other computers.
  init?(_ tree: SystemTree) {
    guard let model = Self.model(tree), model.hasPrefix("Raspberry Pi") else { return nil }
    self.model = model
    // Before Debian 12, the settings file was in another folder.
    if !tree.exists(file), tree.exists("/boot/config.txt") { file = "/boot/config.txt" }
    read(file, tree, mayInclude: true)
  }

  /// Adds the settings in a file. If a key is repeated, the last value wins; overlays and their
  /// parameters accumulate.
  private mutating func read(_ file: String, _ tree: SystemTree, mayInclude: Bool) {
    var applies = true
    for line in (tree.text(file) ?? "").split(whereSeparator: \.isNewline) {
      // A Windows editor may begin the file with a byte order mark.
      let content = line.drop { $0 == "\u{feff}" }.prefix { $0 != "#" }
      let words = content.filter { !$0.isWhitespace }
      if words.hasPrefix("[") {
        applies = filters.contains(words.dropFirst().prefix { $0 != "]" })
      } else if applies, mayInclude, content.hasPrefix("include ") {
        let name = content.dropFirst("include ".count).filter { !$0.isWhitespace }
        read(Folder.containing(file) + "/" + name, tree, mayInclude: false)
      } else if applies, words.hasPrefix("dtparam=") {
        settings += words.dropFirst("dtparam=".count).split(separator: ",").map { "dtparam=\($0)" }
      } else if applies, !words.isEmpty {
        let key = words.prefix { $0 != "=" } + "="
        if key != "dtoverlay=" { settings.removeAll { $0.hasPrefix(key) } }
        settings.append(words)
      }
    }
  }

  /// The section headings in the settings file that apply to this model.
  private var filters: Set<Substring> {
    var filters: Set<Substring> = ["all", "pi" + generation]
    for (word, names) in [
      ("Zero W", ["pi0w"]), ("Zero 2", ["pi0w", "pi02"]), ("Plus", ["pi3+"]), ("Pi 400", ["pi400"]),
      ("Pi 500", ["pi500"]), ("Module 4S", ["cm4s"]), ("Module 4 ", ["cm4"]),
      ("Module 5", ["cm5"]), ("Module 3", ["cm3"]),
    ] as [(String, [Substring])] where model.holds(word) {
      filters.formUnion(names)
    }
    return filters
  }

  /// Returns the model from the device tree of a single-board computer.
  static func model(_ tree: SystemTree) -> String? {
    ["/proc/device-tree/model", "/sys/firmware/devicetree/base/model"].lazy
      .compactMap { tree.text($0) }.first
      .map { text in text.filter { $0 != "\0" && !$0.isNewline } }
  }
}
