/// A board's own detector of walking, which runs without any stream and reports when its wearer
/// starts walking, runs or stands still.
public struct ActivityDetection: Hashable, Sendable {
  /// The commands that switch it on, in order.
  public let on: [Command]
  /// The commands that switch it off, and the accelerometer that it uses.
  public let off: [Command]
}

extension ModuleTable {
  /// The detector of walking; `nil` on boards without a BMI270.
  public var activityDetection: ActivityDetection? {
    // Bosch's features work at 50 Hz, whatever rate leaves the chip.
    guard let accelerometer, accelerometer.chip == .bmi270,
      let setup = try? MotionStream(sensor: accelerometer).setup(rate: 50, range: 8)
    else { return nil }
    return ActivityDetection(
      on: setup.configure + [
        .subscribe(.accelerometer, 0x0c),
        BMI270Feature.interrupts(enable: .activity, disable: []).command,
        BMI270Feature.features(enable: .activity, disable: []).command,
      ] + setup.powerOn,
      off: [
        BMI270Feature.interrupts(enable: [], disable: .activity).command,
        BMI270Feature.features(enable: [], disable: .activity).command,
        .unsubscribe(.accelerometer, 0x0c),
      ] + setup.powerOff)
  }
}
