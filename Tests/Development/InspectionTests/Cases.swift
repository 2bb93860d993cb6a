import MetaWearProtocol

/// Packets of every module with their meanings according to the reference. The inspector knows only
/// the board's model.
enum Cases {
  /// MetaMotion RL: BMI160 and BMM150.
  static let bmi160 = [
    Case("> 03 80", "asks for the module's chip and revision"),
    Case("< 03 80 01 02", "the board has the module", "chip BMI160, implementation 1, revision 2"),
    Case("< 12 80", "the board does not have this module"),
    Case("> 03 03 28 03", "sets 100 Hz, ±2 g", "rate 100 Hz, range 2 g, counts_per_unit 16384"),
    Case(
      "< 03 83 28 0c", "is set to 100 Hz, ±16 g",
      "rate 100 Hz, range 16 g, counts_per_unit 2048"),
    Case("> 03 01 01", "starts measuring"),
    Case("> 03 01 00", "stops measuring"),
    Case("> 03 02 01 00", "sends finished samples"),
    Case("> 03 02 00 01", "holds finished samples back"),
    Case("> 03 04 01", "subscribes to acceleration"),
    Case("> 03 1c 01", "subscribes to packed acceleration"),
    Case("> 03 1c 00", "ends the subscription to packed acceleration"),
    Case("> 03 83", "asks for rate and range"),
    Case(
      "< 03 04 0001 00fe 0000", "one sample",
      "x 0.015625 g, y -0.03125 g, z 0 g",
      remarks: ["the accelerometer's range is ±2 g, its default after a reset"]),
    Case(
      "< 03 1c 000800100018 002000280030 00f800f000e8", "three samples, oldest first",
      """
      sample 1: x 0.125 g, y 0.25 g, z 0.375 g; sample 2: x 0.5 g, y 0.625 g, z 0.75 g; sample \
      3: x -0.125 g, y -0.25 g, z -0.375 g
      """,
      remarks: ["the accelerometer's range is ±2 g, its default after a reset"]),
    Case("> 03 06 0b 00", "low and high g: turns on high on x, high on y and low"),
    Case(
      "> 03 07 07 30 81 0b c0",
      """
      sets when acceleration counts as low or high; the step of high_threshold depends on the \
      range
      """,
      """
      low_duration 20 ms, low_threshold 0.37488 g, low_uses each axis, high_duration 30 ms, \
      high_threshold 192 steps
      """),
    Case("< 03 08 25", "high acceleration along -x"),
    Case("> 03 09 38 00", "motion: turns on no or slow on x, no or slow on y and no or slow on z"),
    Case(
      "> 03 0a 0014140e", "sets what counts as motion; a step is a 512th of the range",
      """
      any_count 1, any_threshold 20 steps, slow_or_no_code 0, slow_or_no_threshold 20 steps, \
      watches_for slow motion, and_for significant motion, skip 12 s, proof 0.25 s
      """),
    Case("< 03 0b 4a", "any motion along -x"),
    Case("> 03 0c 03 00", "taps: turns on double and single"),
    Case(
      "> 03 0d 04 0a", "sets what counts as a tap; a step is a 32nd of the range",
      "quiet 30 ms, shock 50 ms, window 250 ms, threshold 10 steps"),
    Case(
      "< 03 0e 29", "double tap along -y",
      remarks: ["sources disagree on the sign of bit 5"]),
    Case("> 03 0f 01 00", "orientation: turns on detection"),
    Case("> 03 10 18 48", "configures the detection of orientation", "bytes 18 48"),
    Case("< 03 11 0b", "now lies face down, portrait upside down"),
    Case("> 03 12 00 01", "flat: turns off detection"),
    Case("> 03 13 08 11", "configures the detection of lying flat", "bytes 08 11"),
    Case("< 03 14 06", "lies flat, face down"),
    Case("> 03 17 01 00", "steps: turns on detection"),
    Case("> 03 18 15 0b", "configures the detection of steps: normal, counter on", "bytes 15 0b"),
    Case("> 03 1b", "sets the number of steps to 0"),
    Case("< 03 19 01", "detected 1 step", "steps 1"),
    Case("> 03 9a", "asks for the number of steps"),
    Case("< 03 9a 0f01", "counted 271 steps", "steps 271"),
    Case(
      "> 13 03 28 00", "sets 100 Hz, ±2000 deg/s",
      "rate 100 Hz, range 2000 deg/s, counts_per_unit 16.4"),
    Case(
      "< 13 83 29 04", "is set to 200 Hz, ±125 deg/s",
      "rate 200 Hz, range 125 deg/s, counts_per_unit 262.4"),
    Case("> 13 05 01", "subscribes to angular velocity"),
    Case(
      "< 13 05 a400 0000 5cff", "one sample",
      "x 10 deg/s, y 0 deg/s, z -10 deg/s",
      remarks: ["the gyroscope's range is ±2000 deg/s, its default after a reset"]),
    Case(
      "< 13 07 a40000000000 a40000000000 a40000000000", "three samples, oldest first",
      """
      sample 1: x 10 deg/s, y 0 deg/s, z 0 deg/s; sample 2: x 10 deg/s, y 0 deg/s, z 0 deg/s; \
      sample 3: x 10 deg/s, y 0 deg/s, z 0 deg/s
      """,
      remarks: ["the gyroscope's range is ±2000 deg/s, its default after a reset"]),
    Case(
      "> 15 04 04 0e", "averages 9 measurements along x and y, 15 along z",
      "xy_repetitions 9, z_repetitions 15"),
    Case("> 15 03 06", "sets 25 Hz", "rate 25 Hz"),
    Case("> 15 01 02", "suspends the chip, which forgets its settings"),
    Case("> 15 06 01 00", "turns the threshold interrupt on or off", "bytes 01 00"),
    Case("< 15 05 1000 f0ff 0800", "one sample", "x 1 uT, y -1 uT, z 0.5 uT"),
    Case(
      "< 15 09 100010001000 200020002000 300030003000", "three samples, oldest first",
      """
      sample 1: x 1 uT, y 1 uT, z 1 uT; sample 2: x 2 uT, y 2 uT, z 2 uT; sample 3: x 3 uT, y 3 \
      uT, z 3 uT
      """),
    Case("< 15 08 01", "the threshold was crossed", "bits 01"),
  ]

  /// MetaMotion S: BMI270, barometer and light.
  static let metaMotionS = [
    Case("> 03 03 a8 02", "sets 100 Hz, ±8 g", "rate 100 Hz, range 8 g, counts_per_unit 4096"),
    Case("> 03 01 02", "starts measuring in low-power mode"),
    Case("> 03 05 01", "subscribes to packed acceleration"),
    Case("> 03 06 03 00", "features: turns on significant motion and step counter"),
    Case("> 03 07 00 80", "feature interrupts: turns off step detector"),
    Case("> 03 08 00 88 00", "sets the mapping of the chip's axes", "bytes 88 00"),
    Case(
      "> 03 08 01 05e0aa38", "configures any-motion detection",
      "duration 100 ms, axes x, y and z, threshold 170 steps, output 07"),
    Case("> 03 08 03 fa00", "configures significant-motion detection", "block 250 samples"),
    Case("> 03 08 07 000e 0a 00", "reports the count every 200 steps"),
    Case(
      "> 03 08 08 1000 3203 5000 6400", "configures wrist gestures, worn on the right arm",
      "peak 818, samples 80, duration 100"),
    Case(
      "> 03 08 09 a805ee060004bc02b3008507", "configures wrist wake-up",
      "words 1448 1774 1024 700 179 1925"),
    Case("> 03 08 05 0102", "configures the step counter", "bank 5, bytes 01 02"),
    Case("< 03 09 05", "significant motion and any motion"),
    Case(
      "< 03 0a 09", "wrist gesture: pivot up",
      "type 1, code 2",
      remarks: ["sources disagree on the meaning of the type bits"]),
    Case("< 03 0b 0a00", "counted 10 steps", "steps 10"),
    Case("< 03 0b 01", "detected 1 step", "steps 1"),
    Case("< 03 0c 04", "the wearer is running"),
    Case("> 03 0e 01", "turns the chip's thermometer on"),
    Case("< 03 8f 0004", "chip temperature", "temperature 25 °C"),
    Case(
      "> 03 10 40 01 02 ff", "sets the offset registers of the Bosch sensor",
      "use 40, x 1, y 2, z -1"),
    Case(
      "> 03 11 9a", "down-samples the chip's queue",
      """
      gyroscope_factor 4, gyroscope_data filtered, accelerometer_factor 2, accelerometer_data \
      filtered
      """),
    Case("> 13 06 01 02 03", "sets the offset registers of the Bosch sensor", "x 1, y 2, z 3"),
    Case(
      "< 13 04 a400 0000 0000", "one sample",
      "x 10 deg/s, y 0 deg/s, z 0 deg/s",
      remarks: ["the gyroscope's range is ±2000 deg/s, its default after a reset"]),
    Case(
      "< 13 05 a40000000000 a40000000000 a40000000000", "three samples, oldest first",
      """
      sample 1: x 10 deg/s, y 0 deg/s, z 0 deg/s; sample 2: x 10 deg/s, y 0 deg/s, z 0 deg/s; \
      sample 3: x 10 deg/s, y 0 deg/s, z 0 deg/s
      """,
      remarks: ["the gyroscope's range is ±2000 deg/s, its default after a reset"]),
    Case(
      "> 12 03 2c a0", "sets averaging and pause",
      "oversampling 4, temperature_code 1, filter 0, standby 1000 ms"),
    Case("> 12 04 01 01", "starts measuring pressure and altitude"),
    Case("> 12 04 00 00", "stops measuring"),
    Case("< 12 01 00cd8b01", "air pressure", "pressure 101325 Pa"),
    Case("< 12 02 00feffff", "altitude above standard sea level", "altitude -2 m"),
    Case(
      "> 14 02 18 1d", "sets gain, integration and rate",
      "gain 48, integration 400 ms, period 2000 ms"),
    Case("> 14 01 01", "starts measuring"),
    Case("< 14 03 e8030000", "illuminance", "illuminance 1 lx"),
  ]

  /// MetaWear R: MMA8452Q.
  static let mma8452q = [
    Case(
      "> 03 03 00 00 18 00 00", "sets 100 Hz, ±2 g",
      "rate 100 Hz, range 2 g, counts_per_unit 1000"),
    Case("> 03 02 01", "sends finished samples"),
    Case("> 03 05 01", "turns the detection of free fall or motion on"),
    Case("> 03 06 b8 00 08 0a", "configures the detection of free fall", "threshold 0.504 g"),
    Case("< 03 07 0c", "free fall or motion along -y"),
    Case(
      "> 03 0c 44 00 1f 1f 1f 18 28 3c", "configures the detection of taps",
      "bytes 44 00 1f 1f 1f 18 28 3c"),
    Case("< 03 0d 18", "double tap along +x"),
    Case("> 03 0f 12 00 07 05", "configures the detection of shaking", "bytes 12 00 07 05"),
    Case("< 03 10 03", "shaking along -x"),
    Case(
      "> 03 09 00 c0 0a 44 84", "configures the detection of orientation", "bytes 00 c0 0a 44 84"),
    Case("< 03 0a 05", "now lies face down, landscape right"),
    Case("< 03 04 e803 0000 18fc", "one sample", "x 1 g, y 0 g, z -1 g"),
  ]

  /// MetaEnvironment: BMA255, BME280, TCS34725, and a sensor that the board lacks.
  static let bma255 = [
    Case("> 03 03 0b 03", "sets 125 Hz, ±2 g", "rate 125 Hz, range 2 g, counts_per_unit 16384"),
    Case(
      "> 03 09 78 00",
      "motion: turns on no or slow on x, no or slow on y, no or slow on z and bit 6"),
    Case(
      "> 03 0a 001414", "sets what counts as motion; a step is a 512th of the range",
      "any_count 1, any_threshold 20 steps, slow_or_no_code 0, slow_or_no_threshold 20 steps"),
    Case(
      "> 12 03 2c e0", "sets averaging and pause",
      "oversampling 4, temperature_code 1, filter 0, standby 20 ms"),
    Case("> 16 02 04", "averages 8 measurements", "oversampling 8"),
    Case("> 16 81", "asks for humidity"),
    Case("< 16 81 00c80000", "relative humidity", "humidity 50 %RH"),
    Case("> 17 02 fe 03 01", "sets integration and gain, LED on", "integration 4.8 ms, gain 60"),
    Case("> 17 81", "asks for colour"),
    Case(
      "< 17 81 0100 0200 0300 0400", "light by colour, in raw counts",
      "clear 1, red 2, green 3, blue 4"),
    Case(
      "> 18 02 fe 20 f0", "sets integration, pulses and current",
      "integration 5.44 ms, pulses 32, diodes 0 and 1, current 12.5 mA",
      remarks: ["the board has no proximity module"]),
    Case(
      "< 18 81 2a00", "reflected light, in raw counts",
      "proximity 42",
      remarks: ["the board has no proximity module"]),
  ]

  /// Switch, lights, thermometers, pins and buses, which are the same on every board.
  static let small = [
    Case("> 01 01 01", "subscribes to the button"),
    Case("< 01 01 01", "the button is pressed"),
    Case("< 01 81 00", "the button is released"),
    Case("> 02 01 02", "plays patterns, including ones stored later"),
    Case("> 02 01 00", "pauses the patterns"),
    Case("> 02 02 01", "stops and deletes all patterns"),
    Case(
      "> 02 03 02 02 1f 00 d502 f401 d502 d007 0000 ff",
      "stores a pattern of blue light, forever",
      """
      high 31 /31, low 0 /31, rise 725 ms, on 500 ms, fall 725 ms, period 2000 ms, delay 0 ms, \
      repetitions 255
      """),
    Case("> 04 81 01", "asks for the temperature of channel 1 (a thermistor on the board)"),
    Case(
      "> 04 c1 00",
      "asks for the temperature of channel 0 (the processor), for consumers on the board only"),
    Case(
      "< 04 81 01 ac00", "temperature of channel 1 (a thermistor on the board)",
      "temperature 21.5 °C"),
    Case(
      "> 04 02 02 00 01 00", "sets the thermistor pins of channel 2",
      "data_pin 0, pulldown_pin 1, active low"),
    Case("> 05 01 00", "drives pin 0 high"),
    Case("> 05 02 01", "drives pin 1 low"),
    Case("> 05 03 02", "makes pin 2 an input with a pull-up"),
    Case("> 05 86 03 ff ff 02 15", "asks for the voltage of pin 3", "delay 8 us, virtual_pin 21"),
    Case("< 05 86 03 e803", "voltage of pin 3", "voltage 1000 mV"),
    Case("< 05 87 03 ff03", "voltage of pin 3 as a fraction of the supply", "ratio 1"),
    Case("< 05 88 02 01", "pin 2 is high"),
    Case("> 05 09 01 03", "reports all changes on pin 1 while it is watched"),
    Case("> 05 0b 01 01", "watches pin 1"),
    Case("< 05 0a 01 00", "pin 1 went low"),
    Case(
      "> 06 01 01 06 00 1e", "opens strand 1 of 30 lights at pin 0",
      "order GRB, speed fast",
      remarks: ["the board has no NeoPixel module"]),
    Case("> 06 02 02 01", "holds strand 2", remarks: ["the board has no NeoPixel module"]),
    Case(
      "> 06 03 02 0a 2d", "turns off lights 10 to 45 of strand 2",
      remarks: ["the board has no NeoPixel module"]),
    Case(
      "> 06 04 02 18 d5 55 6b", "sets light 24 of strand 2",
      "red 213, green 85, blue 107",
      remarks: ["the board has no NeoPixel module"]),
    Case(
      "> 06 05 02 01 4b e803", "rotates strand 2 away from the board, 75 times",
      "period 1000 ms",
      remarks: ["the board has no NeoPixel module"]),
    Case(
      "> 06 05 03 00 00 0000", "ends the rotation of strand 3",
      remarks: ["the board has no NeoPixel module"]),
    Case("> 06 06 01", "releases strand 1", remarks: ["the board has no NeoPixel module"]),
    Case("> 07 01 01", "turns advertising as an iBeacon on"),
    Case(
      "> 07 02 100f0e0d0c0b0a09 0807060504030201", "sets the identifier",
      "uuid 01020304-0506-0708-090a-0b0c0d0e0f10"),
    Case("> 07 03 4e00", "sets the major number", "major 78"),
    Case("> 07 05 c9", "sets the signal strength at one metre", "power -55 dBm"),
    Case("> 07 07 b33a", "sets the time between advertisements", "period 15027 ms"),
    Case("> 08 01 7c 8813 00", "runs the motor", "duty 50 %, length 5000 ms"),
    Case("> 08 01 7f 4c1d 01", "sounds the buzzer", "length 7500 ms"),
    Case("> 0d 81 77 d0 0a 01", "reads 1 byte from an I2C device", "device 77, register d0, id 10"),
    Case("< 0d 81 0a 58", "1 byte read with id 10", "bytes 58"),
    Case(
      "> 0d 01 77 f4 ff 01 37", "writes 1 byte to an I2C device",
      "device 77, register f4, bytes 37"),
    Case(
      "> 0d 82 0a 00 0b 07 7f 54 da", "reads 5 bytes from an SPI device",
      """
      select_pin 10, clock_pin 0, out_pin 11, in_pin 7, mode 3, clock_code 7, first_bit lowest, \
      pins native; id 5, sends da
      """),
    Case(
      "> 0d 02 0a 00 0b 07 76 da", "writes 1 byte to an SPI device",
      """
      select_pin 10, clock_pin 0, out_pin 11, in_pin 7, mode 3, clock 8000 kHz, first_bit \
      highest, pins native; bytes da
      """),
  ]

  static let fusion = [
    Case(
      "> 19 02 01 10", "sets NDOF mode, ±2 g, ±2000 deg/s",
      "output_rate 100 Hz, acceleration_range 2 g, rotation_range 2000 deg/s"),
    Case("> 19 03 08 00", "computes quaternion"),
    Case("> 19 03 00 7f", "ends all outputs"),
    Case("> 19 01 01", "starts the algorithm"),
    Case(
      "< 19 82 04 23", "is set to M4G mode, ±16 g, ±1000 deg/s",
      "output_rate 50 Hz, acceleration_range 16 g, rotation_range 1000 deg/s"),
    Case(
      "< 19 04 0000803f 00000040 00004040 03", "corrected acceleration, accuracy high",
      "x 1 mg, y 2 mg, z 3 mg, accuracy 3"),
    Case(
      "< 19 05 0000803f 00000040 00004040 00", "corrected angular velocity, accuracy unreliable",
      "x 1 deg/s, y 2 deg/s, z 3 deg/s, accuracy 0"),
    Case(
      "< 19 06 0000803f 00000040 00004040 02", "corrected magnetic field, accuracy medium",
      "x 1 uT, y 2 uT, z 3 uT, accuracy 2"),
    Case("< 19 07 0000803f 00000000 00000000 00000000", "quaternion", "w 1, x 0, y 0, z 0"),
    Case(
      "< 19 08 0000b443 00000000 00000000 0000b443", "Euler angles",
      "heading 360 deg, pitch 0 deg, roll 0 deg, yaw 360 deg"),
    Case("< 19 09 00000000 00000000 c3f51c41", "gravity", "x 0 m/s2, y 0 m/s2, z 9.81 m/s2"),
    Case(
      "< 19 0a 00000000 00000000 00000000", "linear acceleration",
      "x 0 m/s2, y 0 m/s2, z 0 m/s2"),
    Case("> 19 8b", "asks for the sensor calibration state"),
    Case(
      "< 19 8b 03 00 02", "sensor calibration state",
      "accelerometer high, gyroscope unreliable, magnetometer medium"),
    Case("> 19 8c", "asks for the accelerometer's calibration"),
    Case(
      "< 19 8e 0102030405060708090a", "the magnetometer's calibration",
      "bytes 01 02 03 04 05 06 07 08 09 0a"),
    Case(
      "> 19 0e 0102030405060708090a", "writes the magnetometer's calibration back",
      "bytes 01 02 03 04 05 06 07 08 09 0a",
      remarks: ["invalid magnetometer data crashes the board"]),
    Case("> 19 0f 01", "makes the current heading the new zero"),
  ]

  /// Settings and debug modules.
  static let settings = [
    Case("> 11 01 41 42", "sets the name 'AB'", "name AB"),
    Case("< 11 81 4d657461", "the board's name is 'Meta'", "name Meta"),
    Case(
      "> 11 02 a101 00 00", "advertises every 260.625 ms indefinitely",
      "interval 260.625 ms, timeout 0 s, type connectable"),
    Case("< 11 82 0a00 3c", "advertises every 6.25 ms for 60 s", "interval 6.25 ms, timeout 60 s"),
    Case("> 11 03 fc", "sets the transmit power", "power -4 dBm"),
    Case("< 11 83 04", "transmit power", "power 4 dBm"),
    Case("> 11 05", "starts advertising"),
    Case("> 11 07 4142", "sets the scan response, or the rest of it", "bytes 41 42, ascii 'AB'"),
    Case("> 11 08 41", "sets the start of a long scan response", "bytes 41, ascii 'A'"),
    Case(
      "> 11 09 0600 0600 0000 5802", "asks the central for connection parameters",
      "minimum 7.5 ms, maximum 7.5 ms, latency 0, timeout 6000 ms"),
    Case(
      "< 11 89 0600 0c00 0000 5802", "prefers connection parameters",
      "minimum 7.5 ms, maximum 15 ms, latency 0, timeout 6000 ms"),
    Case("< 11 8b 01 0100ca97aa4b", "the board's address", "address 4B:AA:97:CA:00:01"),
    Case("> 11 8c", "asks for the battery state"),
    Case(
      "> 11 cc",
      "reads the battery state for consumers on the board; current firmware does not reply"),
    Case("< 11 8c 63 3410", "battery state", "charge 99 %, voltage 4148 mV"),
    Case("> 11 11 01", "subscribes to external power"),
    Case("< 11 91 01", "has external power"),
    Case("< 11 12 00", "the battery is not charging"),
    Case("> 11 13 03", "uses the whitelist for scans and connections"),
    Case(
      "> 11 14 00 01 010203040506", "sets the target of directed advertising",
      "address 06:05:04:03:02:01, address_type 1"),
    Case("> 11 1c 01", "turns the 3-V supply on"),
    Case("> 11 1d 01", "keeps the link at 1 Mbit/s"),
    Case("> fe 01", "resets the board: only its log and macros remain, and the link drops"),
    Case("> fe 02", "restarts into the bootloader, which has no modules"),
    Case(
      "> fe 03 0101 01", "makes the board act as if it had sent a notification", "bytes 01 01 01"),
    Case("> fe 04 78563412", "stores a number until the next reset", "key 305419896"),
    Case("< fe 84 78563412", "the stored number", "key 305419896"),
    Case(
      "> fe 05",
      "resets once the flash is cleaned; some firmware ignores this if the flash is clean"),
    Case("> fe 06", "makes the board close the link"),
    Case("> fe 07", "sleeps from the next reset on, until the button is pressed"),
    Case("> fe 09 01", "turns the stack check on"),
    Case("< fe 89 01 0002", "the stack check is on", "never_used 512 bytes"),
    Case("> fe 8a", "asks for the board's queue usage"),
    Case("< fe 8b 01", "reset reason", "bytes 01"),
    Case("> fe 93", "asks for flash statistics"),
  ]

  /// Timers, events, macros, logging and data processors.
  static let resources = [
    Case(
      "> 0c 02 88130000 ffff 00",
      "creates a timer: every 5000 ms, forever, first after one period",
      "period 5000 ms, repetitions 65535"),
    Case("> 0c 03 00", "starts timer 0"),
    Case("> 0c 04 00", "stops timer 0"),
    Case("> 0c 05 00", "removes timer 0"),
    Case("> 0c 07 00 01", "notifies the host when timer 0 fires"),
    Case("< 0c 06 00", "timer 0 fired"),
    Case("> 0a 04 01", "removes event 1"),
    Case("> 0a 05", "removes all events"),
    Case("> 0f 02 01", "begins to store commands, to be run at every boot"),
    Case("< 0f 02 00", "macro 0 was created", "id 0"),
    Case("> 0f 03 03 01 01", "stores the command 03 01 01 (accelerometer: starts measuring)"),
    Case("> 0f 09 02 03", "stores the first two bytes of a long command: 02 03"),
    Case("> 0f 04", "stops storing commands"),
    Case("> 0f 05 00", "runs macro 0"),
    Case("> 0f 08", "erases all macros"),
    Case("> 0b 01 01", "turns recording to flash on"),
    Case("> 0b 02 03 04 ff 60", "records bytes 0 to 3 of acceleration"),
    Case("> 0b 82 00", "asks for the signal of trigger 0"),
    Case("< 0b 82 04 c1 01 20", "the trigger records temperature of channel 1, read silently"),
    Case("< 0b 82", "the trigger does not exist"),
    Case("> 0b 03 01", "removes trigger 1"),
    Case("> 0b 0a", "removes all triggers; ignored while recording"),
    Case("> 0b 84", "asks for the board's clock"),
    Case("< 0b 84 00000100 0a", "the board's clock", "since_reset 96 s, reset_uid 2"),
    Case("> 0b 85", "asks for the number of log entries"),
    Case("< 0b 85 05000000", "the log has 5 entries", "entries 5"),
    Case(
      "> 0b 06 05000000 01000000", "asks for 5 entries of the log, progress every 1 entry",
      "entries 5, interval 1"),
    Case("> 0b 07 01", "subscribes to log entries"),
    Case("> 0b 08 01", "subscribes to the progress of a read-out"),
    Case("< 0b 08 04000000", "4 entries still to be sent", "left 4"),
    Case("< 0b 08 00000000", "all entries were sent"),
    Case("> 0b 09 ffffffff", "drops all entries; ignored while recording"),
    Case("> 0b 0b 01", "overwrites the oldest entries when full"),
    Case("> 0b 0d 01", "subscribes to the end of each page"),
    Case("< 0b 0d", "a page was sent; it is erased once confirmed"),
    Case("> 0b 0e", "confirms a page, which the board then erases"),
    Case("> 0b 10 01", "writes the cache to flash"),
    Case(
      "> 09 02 03 04 ff a0 07 a5 00",
      "creates a processor on acceleration: root mean square of 3 channels"),
    Case("> 09 02 01 01 ff 00 02 10", "creates a processor on the button: counts inputs in 1 byte"),
    Case(
      "> 09 02 04 c1 00 20 08 09 88130000",
      "creates a processor on temperature of channel 0, read silently: difference every 5000 ms"),
    Case(
      "> 09 02 03 04 ff a0 11 31 03",
      "creates a processor on acceleration: puts the board's tick of 4 bytes before each input"),
    Case(
      "> 09 02 13 04 ff a0 10 05 01",
      "creates a processor on angular velocity: packs 2 inputs of 6 bytes"),
    Case(
      "> 09 02 09 03 00 20 06 06 01 00 0000",
      "creates a processor on bytes 0 to 1 of processor 0: the input for inputs equal to 1"),
    Case("> 09 04 00 01", "sets the state of processor 0", "bytes 01"),
    Case("> 09 84 00", "asks for the state of processor 0"),
    Case("> 09 05 00 01 02 0500", "changes processor 0 to: lets 5 inputs through"),
    Case("> 09 06 00", "removes processor 0"),
    Case("> 09 07 00 00", "no longer sends the output of processor 0"),
    Case("> 09 08", "removes all processors"),
    Case("> 09 82 00", "asks for the function of processor 0"),
    Case(
      "< 09 82 03 04 ff a0 07 a5 01",
      "the processor works on acceleration: root of the sum of squares of 3 channels"),
    Case("< 09 84 00 05", "state of processor 0", "bytes 05"),
  ]
}
