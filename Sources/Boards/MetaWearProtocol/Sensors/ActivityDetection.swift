/// The commands that control a board's own walking detector. The detector works without a stream.
/// It reports when the wearer starts walking, starts running or stops.
public struct ActivityDetection: Hashable, Sendable {
  /// The commands that start the detector, in order.
  public let on: [Command]
  /// The commands that stop the detector and the accelerometer that it uses.
  public let off: [Command]
}

extension ModuleTable {
  /// The walking detector, or `nil` on boards without a BMI270.
  public var activityDetection: ActivityDetection? {
    // Bosch's features always run at 50 Hz, regardless of the chip's output rate.
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
