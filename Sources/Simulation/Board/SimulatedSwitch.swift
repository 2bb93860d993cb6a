import MetaWearProtocol

/// A simulated board's push button.
extension SimulatedBoard {
  /// Presses or releases the button, which also wakes a board in power-saving mode.
  public mutating func setSwitch(isPressed: Bool, at time: Double) {
    run(until: time)
    guard isPressed != state.switchIsPressed else { return }
    if isPressed { wake() }
    state.switchIsPressed = isPressed
    tell(.switch, [isPressed ? 1 : 0])
  }
}
